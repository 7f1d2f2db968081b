/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zephyr_events.c - the events of Zephyr's own tracing, and Zephelin's
 *
 * The table is text: "NAME FIELD FIELD;" for each event, by rising ids, with
 * "@ID" where one is left out. A field is NAME:KIND, an unsigned of 32 bits
 * when KIND is left out, or a letter for fields that many events have. Two in a
 * row that are called NAME_enter and NAME_exit are "NAME FIELD/FIELD;". It
 * becomes TSDL, which others read, and the reader of that makes our own table
 * of it.
 */
#include "format/ctf/zephyr_events.h"

#include <stdbool.h>
#include <string.h>

#include "format/ctf/ctf_metadata.h"
#include "format/ctf/ctf_metadata_reader.h"
#include "format/ctf/tsdl_writer.h"

static const char zephyr[] =
    "@10thread_switched_out T;thread_switched_in T;"
    "thread_priority_set T prio:b;thread_create T;thread_abort T;"
    "thread_suspend T;thread_resume T;thread_ready T;thread_pending T;"
    "thread_info T stack_base stack_size;thread_name_set T;isr/;"
    "isr_exit_to_scheduler;idle;@21semaphore_init I R;semaphore_give I/I;"
    "semaphore_take_enter I O;semaphore_take_blocking I O;"
    "semaphore_take_exit I O R;semaphore_reset I;mutex_init I R;"
    "mutex_lock_enter I O;mutex_lock_blocking I O;mutex_lock_exit I O R;"
    "mutex_unlock I/I;timer_init I;timer_start I duration period;timer_stop I;"
    "timer_status_sync_enter I;timer_status_sync_blocking I;"
    "timer_status_sync_exit I result;user_mode_enter T;thread_wakeup T;"
    "socket_init I family type proto;socket_close I/I S;"
    "socket_shutdown I how/I S;socket_bind I A port:h/I S;"
    "socket_connect I A/I S;socket_listen I backlog/I S;"
    "socket_accept I/I A port:h S;socket_sendto I data_length flags A/I S;"
    "socket_sendmsg I flags msghdr address:46 data_length/I S;"
    "socket_recvfrom I max_length flags address address_length/I A S;"
    "socket_recvmsg I msg max_msg_length S/I msg_length address:46 S;"
    "socket_fcntl I cmd flags/I S;socket_ioctl I request/I S;"
    "socket_poll_enter fds num_fds timeout:i;socket_poll_value fd:i events:h;"
    "socket_poll_exit fds num_fds S;"
    "socket_getsockopt I level optname/I level optname optval optlen S;"
    "socket_setsockopt I level optname optval optlen/I S;"
    "socket_getpeername I/I A S;socket_getsockname I/I A S;"
    "socket_socketpair family type proto sv/socket0:i socket1:i S;"
    "net_recv_data N pkt_len/N S;net_send_data N pkt_len/N S;"
    "net_rx_time N priority traffic_class duration_us;"
    "net_tx_time N priority traffic_class duration_us;"
    "named_event name:20 arg0 arg1;"
    "gpio_pin_configure_interrupt P pin flags/P pin ret;"
    "gpio_pin_configure P pin flags/P pin ret;"
    "gpio_port_get_direction P map inputs outputs/P ret;"
    "gpio_pin_get_config P pin/P pin ret;gpio_port_get_raw P value/P ret;"
    "gpio_port_set_masked_raw P mask value/P ret;"
    "gpio_port_set_bits_raw P pins/P ret;"
    "gpio_port_clear_bits_raw P pins/P ret;gpio_port_toggle_bits P pins/P ret;"
    "gpio_init_callback callback handler pin_mask/callback;"
    "gpio_add_callback P callback/P ret;gpio_remove_callback P callback/P ret;"
    "gpio_get_pending_int dev/dev ret;gpio_fire_callbacks_enter list P pins;"
    "gpio_fire_callback P cb;thread_sleep O/O R;mem_slab_init I R;"
    "mem_slab_alloc_enter I O;mem_slab_alloc_blocking I O;"
    "mem_slab_alloc_exit I O R;mem_slab_free I/I;";

/* In layout 1, and from 3 on. */
static const char zephelin_1[] =
    "@A0zpl_tflm t M/t M;@B0zpl_tvm t op_idx:o V/t op_idx:o V;@C0"
    "zpl_cpu_load_event cpu_load:h;zpl_die_temp_event D;@D0zpl_inference t/t;"
    "@EFzpl_scope t G/t G;";
static const char zephelin_3[] =
    "@100zpl_tflm c t M/c t M;zpl_tvm c t op_idx:o V/c t op_idx:o V;"
    "zpl_inference c t model_id/c t model_id;@107"
    "zpl_cpu_load_event c cpu_load:h;zpl_die_temp_event D;"
    "zpl_scope c t G cycles:l/c t G cycles:l;";

/* What a letter stands for: fields, or a type. */
static const char *const letters[128] = {
    ['T'] = "thread_id name:20",
    ['I'] = "id",
    ['R'] = "ret:i",
    ['S'] = "result:i",
    ['O'] = "timeout",
    ['A'] = "address:46 address_length",
    ['N'] = "if_index:i iface pkt",
    ['P'] = "port",
    ['t'] = "thread_id",
    ['c'] = "cpu_id:o",
    ['M'] = "subgraph_idx:h op_idx:h V arena_used_bytes arena_tail_usage",
    ['V'] = "tag_len:h tag:tag_len",
    ['D'] = "sensor_count:h die_temp:sensor_count",
    ['G'] = "scope_name_len:h scope_name:scope_name_len",
};
static const char *const kinds[128] = {
    ['b'] = "int8_t",  ['o'] = "uint8_t",  ['h'] = "uint16_t",
    ['i'] = "int32_t", ['l'] = "uint64_t",
};

static const char types[] =
    "\ntypealias integer { size = 8; align = 8; signed = true; } := int8_t;\n"
    "typealias integer { size = 32; align = 8; signed = true; } := int32_t;\n"
    "typealias integer { size = 8; align = 8; encoding = ASCII; } := "
    "ctf_bounded_string_t;\n"
    "typealias floating_point { exp_dig = 8; mant_dig = 24; align = 8; } := "
    "float32;\n\n";

/* In which Zephelin has the events of TFLM and TVM. */
static const char second_stream[] =
    "stream {\nid = 1;\npacket.context := struct { uint16_t packet_size; };\n"
    "event.header := struct { time64_t timestamp; uint16_t id; };\n};\n\n";

/* What a word of one letter stands for, or NULL. */
static const char *expand(const char *const *table, const char *word,
                          size_t length)
{
    return length == 1 ? table[(unsigned char)*word] : NULL;
}

static size_t word_length(const char *text)
{
    size_t length = 0;

    while (text[length] != '\0' && memchr(" ;:/", text[length], 4) == NULL)
        length++;
    return length;
}

/* Returns what stands behind it. */
static const char *put_field(struct tsdl_text *text, const char *field)
{
    size_t name = word_length(field);
    const char *kind = field + name + (field[name] == ':');
    size_t length = word_length(kind);
    const char *type =
        field[name] != ':' ? "uint32_t" : expand(kinds, kind, length);

    tsdl_put(text, "\t");
    tsdl_put(text, type != NULL    ? type
                   : *field == 'd' ? "float32"
                                   : "ctf_bounded_string_t");
    tsdl_put(text, " ");
    tsdl_put_bytes(text, field, name);
    if (type == NULL) {
        tsdl_put(text, "[");
        tsdl_put_bytes(text, kind, length);
        tsdl_put(text, "]");
    }
    tsdl_put(text, ";\n");
    return kind + length;
}

/* Up to a semicolon, a slash or the end; returns what stands there. */
static const char *put_fields(struct tsdl_text *text, const char *fields)
{
    while (*fields != ';' && *fields != '/' && *fields != '\0') {
        const char *more;

        fields += *fields == ' ';
        more = expand(letters, fields, word_length(fields));
        if (more != NULL)
            put_fields(text, more);
        fields = more != NULL ? fields + 1 : put_field(text, fields);
    }
    return fields;
}

/* Whether the entry has a second part, of the event that ends it. */
static bool has_exit(const char *entry)
{
    while (*entry != '/' && *entry != ';')
        entry++;
    return *entry == '/';
}

static void put_events(struct tsdl_text *text, const char *table,
                       const char *stream)
{
    const char *name = table;

    for (uint32_t id = 0; *table != '\0'; table += *table == ';') {
        const char *suffix = "_exit";

        if (*table == '@') {
            for (id = 0; table++, *table <= 'F';)
                id = id * 16 + (uint32_t)(*table - (*table < 'A' ? '0' : 55));
        }
        if (*table == '/') {
            table++;
        } else {
            name = table;
            table += word_length(name);
            suffix = has_exit(table) ? "_enter" : "";
        }
        tsdl_put(text, "event {\nname = \"");
        tsdl_put_bytes(text, name, word_length(name));
        tsdl_put(text, suffix);
        tsdl_put(text, "\";\nid = ");
        tsdl_put_number(text, id++);
        tsdl_put(text, stream);
        tsdl_put(text, "fields := struct {\n");
        table = put_fields(text, table);
        tsdl_put(text, "};\n};\n\n");
    }
}

size_t zephyr_metadata_write(char *out, size_t capacity,
                             const struct ctf_layout *layout)
{
    struct tsdl_text text = { out, capacity, 0 };
    const char *stream = layout->version == 3 ? ";\nstream_id = 0;\n" : ";\n";

    tsdl_put(&text, types);
    put_events(&text, zephyr, stream);
    if (layout->version == 1)
        put_events(&text, zephelin_1, stream);
    if (layout->version < 3)
        return text.length;
    put_events(&text, zephelin_3, stream);
    tsdl_put(&text, second_stream);
    put_events(&text, zephelin_3, ";\nstream_id = 1;\n");
    return text.length;
}

const struct ctf_events *zephyr_events(const struct ctf_layout *layout)
{
    static struct {
        struct ctf_metadata_facts facts;
        char text[ZEPHYR_METADATA_CAPACITY];
    } made[3];
    const struct ctf_surroundings surroundings = { 0 };
    struct ctf_layout bare = { layout->version, 4, false };
    char *text = made[layout->version - 1].text;
    size_t size;

    if (text[0] == '\0') {
        size = ctf_metadata_write(text, ZEPHYR_METADATA_CAPACITY, &bare,
                                  &surroundings);
        size += zephyr_metadata_write(text + size,
                                      ZEPHYR_METADATA_CAPACITY - size, &bare);
        ctf_metadata_read(text, size, &made[layout->version - 1].facts);
    }
    return &made[layout->version - 1].facts.others;
}
