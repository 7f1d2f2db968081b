/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_start.c - the profiler's thread and its output
 *
 *     emitters ──► packet ──► queue ──► this thread ──► transport
 *
 * An emitter only copies a packet into the queue; if that is full, the packet
 * is dropped. Only this thread deals with the reader. It waits for the first of
 * three things: the next round, a packet, or space at the reader.
 *
 * A forked child has no such thread: its events are dropped until it starts
 * one.
 *
 * This file is long because the thread, its start and stop, and its switch in
 * the ledger are one state.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/accounts/mem_profiling.h"
#include "core/base/console_line.h"
#include "core/zpl/zpl_stream.h"
#include "format/ledger/ledger_layout.h"
#include "format/text_after.h"
#include "linked/zpl_folder.h"
#include "linked/zpl_options.h"
#include "ports/posix/transport/transport.h"
#include "tally/config.h"
#include "tally/port.h"
#include "tally/zpl.h"
#include "tally/zpl_ram.h"

#define NS_PER_MS   UINT64_C(1000000)
#define ENVIRONMENT "TALLY_ZPL"
#define LINGER_NS   (1000 * NS_PER_MS)

enum {
    QUEUE_BYTES = 1 << 20,
    PACKET_BYTES = 4096, /* a pipe takes such a packet whole */
    RAM_BYTES = 1 << 20,
    LEAST_STACK = 65536, /* for libc's printing, and thread-local memory */
};

static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;
static pid_t owner; /* 0: not started */
static pthread_t thread;
static uint32_t is_stopping;
static int wake_fd = -1;
static uint32_t is_woken;
static struct zpl_options options;
static struct transport transport;
static struct packet_queue queue;
static void *queue_bytes, *ram_bytes; /* kept after a stop */
static unsigned char packet[PACKET_BYTES];

static void wake(void)
{
    const uint64_t one = 1;

    if (__atomic_exchange_n(&is_woken, 1, __ATOMIC_ACQ_REL) == 0 &&
        write(wake_fd, &one, sizeof one) < 0)
        __atomic_store_n(&is_woken, 0, __ATOMIC_RELEASE);
}

/* Queue a packet. Called by the thread that emits, under the port's lock. */
static bool put(void *context, const void *bytes, size_t size)
{
    int saved = errno;

    (void)context;
    if (getpid() != owner || !packet_queue_put(&queue, bytes, size))
        return false;
    wake();
    errno = saved;
    return true;
}

/* Send until the queue is empty or the reader takes no more. */
static void send_packets(void)
{
    const unsigned char *bytes;
    size_t size;

    while (transport.fd >= 0 &&
           (size = packet_queue_peek(&queue, &bytes)) > 0) {
        size_t sent = transport_write(&transport, bytes, size);

        if (sent == 0)
            return;
        packet_queue_take(&queue, sent);
    }
}

static void wait_until(uint64_t until_ns)
{
    struct pollfd waiting[] = { { .fd = wake_fd, .events = POLLIN },
                                { .fd = -1, .events = POLLOUT } };
    uint64_t now_ns = tally_port_time_ns();
    uint64_t left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
    struct timespec timeout = { (time_t)(left_ns / 1000000000u),
                                (long)(left_ns % 1000000000u) };
    uint64_t count;

    /* Wait for a reader only if there is data for it. */
    if (packet_queue_size(&queue) > 0)
        waiting[1].fd = transport.fd;
    if (ppoll(waiting, 2, &timeout, NULL) > 0 &&
        (waiting[0].revents & POLLIN) != 0) {
        __atomic_store_n(&is_woken, 0, __ATOMIC_RELEASE);
        if (read(wake_fd, &count, sizeof count) < 0)
            return;
    }
}

/*
 * The profiler's switch, for `tally ctl`. There are two words, the ledger's and
 * the profiler's own, which the program and its debugger write. The latest
 * change counts: the ledger's word is compared with the value last stored
 * there.
 */
static uint32_t *control; /* in the ledger; NULL: none */
static uint32_t written;  /* value that we last stored there */

static uint32_t control_now(void)
{
    return tally_zpl_is_on() ? LEDGER_PROFILER_ON : LEDGER_PROFILER_OFF;
}

static void show_control(void)
{
    written = control_now();
    __atomic_store_n(control, written, __ATOMIC_RELEASE);
}

/* Open the ledger, if the process may have one, and show the switch in it. */
static void open_control(void)
{
    uintptr_t header;

    control = NULL;
    if (!mem_profiling_decide() || !mem_profiling_is_available())
        return;
    /* The engine's word lies in the header. */
    header = (uintptr_t)tally_mem_profiling -
             offsetof(struct ledger_header, control);
    control = &((struct ledger_header *)header)->memory_profiler;
    show_control();
}

/* Obey a change of the ledger's word, and show the current state. */
static void read_control(void)
{
    uint32_t wanted;

    if (control == NULL)
        return;
    wanted = __atomic_load_n(control, __ATOMIC_ACQUIRE);
    if (wanted != written)
        zpl_memory_profiling_set(wanted == LEDGER_PROFILER_ON);
    if (wanted != control_now())
        show_control();
    else
        written = wanted;
}

static void make_round(void)
{
    static uint32_t rounds;

    read_control();
    if (zpl_stream_names_are_due(rounds))
        zpl_folder_update();
    tally_zpl_round();
    rounds++;
}

/* Send the rest while the reader takes it, for a limited time. */
static void finish(void)
{
    uint64_t until_ns = tally_port_time_ns() + LINGER_NS;

    zpl_folder_update();
    make_round();
    send_packets();
    while (packet_queue_size(&queue) > 0 && transport.fd >= 0 &&
           tally_port_time_ns() < until_ns) {
        wait_until(until_ns);
        send_packets();
    }
}

static void *run(void *unused)
{
    const uint64_t interval_ns = options.interval_ms * NS_PER_MS;
    uint64_t next_ns = tally_port_time_ns() + options.delay_ms * NS_PER_MS;

    (void)unused;
    setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid),
                CONFIG_ZPL_MEMORY_PROFILING_THREAD_PRIORITY);
    while (__atomic_load_n(&is_stopping, __ATOMIC_ACQUIRE) == 0) {
        uint64_t now_ns = tally_port_time_ns();

        if (now_ns >= next_ns) {
            make_round();
            next_ns += interval_ns;
            if (next_ns <= now_ns) /* missed rounds are not made up for */
                next_ns = now_ns + interval_ns;
        }
        send_packets();
        wait_until(next_ns);
    }
    finish();
    return NULL;
}

/* Create the thread with all signals blocked: they belong to the program. */
static int create_thread(void)
{
    size_t size = CONFIG_ZPL_MEMORY_PROFILING_THREAD_STACK_SIZE;
    pthread_attr_t attributes;
    sigset_t all, before;
    int error;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes,
                              size < LEAST_STACK ? LEAST_STACK : size);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&thread, &attributes, run, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (error == 0)
        pthread_setname_np(thread, "tally-zpl");
    return -error;
}

static struct tally_zpl_stream stream_to(struct tally_zpl_sink sink)
{
    return (struct tally_zpl_stream){
        .sink = sink,
        .buffer = packet,
        .capacity = sizeof packet,
        .format = options.format,
        .layout = options.layout,
        .is_bare = options.is_bare,
        .without_names = text_after(options.target, "dir:") != NULL,
    };
}

static int open_transport(void)
{
    const struct tally_zpl_stream wanted =
        stream_to((struct tally_zpl_sink){ 0 });
    const struct ctf_layout layout = zpl_stream_layout(&wanted);
    const char *folder = text_after(options.target, "dir:");
    char stream[PATH_MAX];
    int error;

    if (folder == NULL) {
        if (layout.has_packets)
            zpl_folder_open_within(&layout);
        return transport_open(&transport, options.target);
    }
    if (zpl_stream_is_text(&wanted))
        return -EINVAL;
    error = zpl_folder_open(folder, &layout, stream);
    return error < 0 ? error : transport_open(&transport, stream);
}

static int open_queue(void)
{
    if (queue_bytes == NULL)
        queue_bytes = tally_port_pages_alloc(QUEUE_BYTES);
    if (queue_bytes == NULL)
        return -ENOMEM;
    if (wake_fd < 0)
        wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (wake_fd < 0)
        return -errno;
    packet_queue_open(&queue, queue_bytes, QUEUE_BYTES);
    return 0;
}

static void open_stream(struct tally_zpl_sink sink)
{
    const struct tally_zpl_stream stream = stream_to(sink);

    tally_zpl_open(&stream);
}

static int open_ram(void)
{
    transport = (struct transport){ .fd = -1 };
    if (ram_bytes == NULL)
        ram_bytes = tally_port_pages_alloc(RAM_BYTES);
    if (ram_bytes == NULL)
        return -ENOMEM;
    open_stream(tally_zpl_ram_open(ram_bytes, RAM_BYTES));
    return 0;
}

static int refuse_wire(const char *target)
{
    struct console_line line = console_line("zpl: ");

    if (text_after(target, "tcp:") == NULL &&
        text_after(target, "listen:") == NULL &&
        text_after(target, "serial:") == NULL)
        return 0;
    console_line_add(&line, target);
    console_line_add(&line, ": libtally sends to files and descriptors only; "
                            "use file:PIPE, and socat to read the named pipe");
    console_line_say(&line);
    return -EPROTONOSUPPORT;
}

static int start(const char *target)
{
    bool is_ram;
    int error = zpl_options_read(target, &options);

    if (error == 0)
        error = refuse_wire(options.target);
    if (error == 0)
        error = open_queue();
    if (error < 0)
        return error;
    owner = getpid();
    is_ram = strcmp(options.target, "ram") == 0;
    error = is_ram ? open_ram() : open_transport();
    if (error == 0) {
        if (!is_ram)
            open_stream((struct tally_zpl_sink){ put, NULL });
        if (options.is_off)
            zpl_memory_profiling_set(false);
        open_control();
        __atomic_store_n(&is_stopping, 0, __ATOMIC_RELEASE);
        error = create_thread();
        if (error < 0) {
            open_stream((struct tally_zpl_sink){ 0 });
            transport_close(&transport);
        }
    }
    if (error < 0) {
        zpl_folder_close();
        owner = 0;
    }
    return error;
}

static void in_child(void)
{
    starting = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    owner = 0;
    zpl_stream_forked();
}

int tally_zpl_start(const char *target)
{
    static bool is_registered;
    int error = -EBUSY;
    int saved = errno;

    pthread_mutex_lock(&starting);
    if (owner != getpid()) {
        error = start(target);
        if (error == 0 && !is_registered)
            is_registered = pthread_atfork(NULL, NULL, in_child) == 0 &&
                            atexit(tally_zpl_stop) == 0;
    }
    pthread_mutex_unlock(&starting);
    errno = saved;
    return error;
}

void tally_zpl_stop(void)
{
    pthread_mutex_lock(&starting);
    if (owner == getpid()) {
        __atomic_store_n(&is_stopping, 1, __ATOMIC_RELEASE);
        wake();
        pthread_join(thread, NULL);
        if (strcmp(options.target, "ram") != 0)
            open_stream((struct tally_zpl_sink){ 0 });
        transport_close(&transport);
        zpl_folder_close();
        owner = 0;
    }
    pthread_mutex_unlock(&starting);
}

__attribute__((constructor)) static void start_by_environment(void)
{
    const char *target = tally_port_environment(ENVIRONMENT);
    struct console_line line;
    int error;

    if (target == NULL || *target == '\0')
        return;
    error = tally_zpl_start(target);
    if (error == 0 || error == -EPROTONOSUPPORT) /* reported already */
        return;
    line = console_line("zpl: " ENVIRONMENT "=");
    console_line_add(&line, target);
    console_line_add(&line, ": ");
    console_line_add(&line, strerrordesc_np(-error));
    console_line_add(&line, "; the program goes on unprofiled");
    console_line_say(&line);
}
