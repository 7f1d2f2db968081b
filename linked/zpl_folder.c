/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_folder.c - a trace's folder: the metadata beside the stream
 *
 * Without a folder, metadata travels in the stream, with as many names as fit
 * into a packet.
 */
#include "linked/zpl_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/zpl/zpl_stream.h"
#include "format/ctf/ctf_stream.h"
#include "tally/port.h"

enum {
    NAME_LIMIT = 512,
    NAME_CAPACITY = 48,
    TEXT_CAPACITY =
        CTF_METADATA_CAPACITY + PATH_MAX + NAME_LIMIT * (NAME_CAPACITY + 40),
};

static char folder[PATH_MAX];
static bool is_within; /* metadata goes into the stream */
static struct ctf_layout written_layout;
static char texts[NAME_LIMIT][NAME_CAPACITY];
static struct ctf_name names[NAME_LIMIT + 1]; /* ended by NULL */
static size_t name_count;
static char program[PATH_MAX];
static char text[TEXT_CAPACITY];

/* Take the address of the first object: the program. */
static int take_load_address(struct dl_phdr_info *object, size_t size,
                             void *address)
{
    (void)size;
    *(uint64_t *)address = object->dlpi_addr;
    return 1;
}

static int write_file(const char *path, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
                  S_IRUSR | S_IWUSR);
    int error;

    if (fd < 0)
        return -errno;
    error = tally_port_write(fd, text, size);
    close(fd);
    return error;
}

static size_t make_metadata(char *out, size_t capacity)
{
    static uint64_t zero_ns;
    struct ctf_surroundings surroundings = { .names = names };
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    struct timespec now = { 0 };

    if (zero_ns == 0) {
        zero_ns = 0 - tally_port_time_ns();
        clock_gettime(CLOCK_REALTIME, &now);
        zero_ns += (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    }
    surroundings.clock_zero_ns = zero_ns;
    if (length > 0) {
        program[length] = '\0';
        surroundings.program = program;
    }
    dl_iterate_phdr(take_load_address, &surroundings.load_address);
    return ctf_metadata_write(out, capacity, &written_layout, &surroundings);
}

/* Send the metadata, with fewer names until it fits. */
static void send_metadata(void)
{
    const size_t capacity =
        CTF_PACKET_LIMIT - CTF_PACKET_HEAD - CTF_PACKET_TRAILER;
    size_t count = name_count;
    size_t size;

    while ((size = make_metadata(text + CTF_PACKET_HEAD, capacity)) >
               capacity &&
           count > 0) {
        names[count].name = count < name_count ? texts[count] : NULL;
        count /= 2;
        names[count].name = NULL;
    }
    if (count < name_count)
        names[count].name = texts[count];
    if (size <= capacity)
        zpl_stream_describe(
            text, (uint32_t)(CTF_PACKET_HEAD + size + CTF_PACKET_TRAILER));
}

static int write_metadata(void)
{
    char path[PATH_MAX], draft[PATH_MAX];
    size_t size = make_metadata(text, sizeof text);
    int error;

    if (size > sizeof text ||
        snprintf(path, sizeof path, "%s/metadata", folder) >=
            (int)sizeof path ||
        snprintf(draft, sizeof draft, "%s/.metadata", folder) >=
            (int)sizeof draft)
        return -ENAMETOOLONG;
    error = write_file(draft, size);
    if (error == 0 && rename(draft, path) != 0)
        error = -errno;
    return error;
}

void zpl_folder_close(void)
{
    folder[0] = '\0';
    is_within = false;
}

static void begin(const struct ctf_layout *layout)
{
    written_layout = *layout;
    name_count = 0;
    names[0] = (struct ctf_name){ 0 };
}

void zpl_folder_open_within(const struct ctf_layout *layout)
{
    is_within = true;
    begin(layout);
}

int zpl_folder_open(const char *path, const struct ctf_layout *layout,
                    char *stream)
{
    int error;

    if (snprintf(folder, sizeof folder, "%s", path) >= (int)sizeof folder ||
        snprintf(stream, PATH_MAX, "file:%s/channel0_0", path) >= PATH_MAX)
        error = -ENAMETOOLONG;
    else
        error = mkdir(path, S_IRWXU) != 0 && errno != EEXIST ? -errno : 0;
    if (error == 0) {
        begin(layout);
        error = write_metadata();
    }
    if (error < 0)
        zpl_folder_close();
    return error;
}

static void add_name(bool *is_changed, enum ctf_named what, uint64_t number,
                     const char *name)
{
    size_t i = 0;

    if (name == NULL)
        return;
    while (i < name_count &&
           (names[i].what != what || names[i].number != number))
        i++;
    if (i == NAME_LIMIT ||
        (i < name_count && strncmp(texts[i], name, NAME_CAPACITY - 1) == 0))
        return;
    snprintf(texts[i], sizeof texts[i], "%s", name);
    names[i] = (struct ctf_name){ texts[i], number, what };
    if (i == name_count)
        names[++name_count] = (struct ctf_name){ 0 };
    *is_changed = true;
}

static void take_name(void *context, const struct tally_port_region *region)
{
    if (region->kind == ZPL_STACK)
        add_name(context, CTF_NAMED_THREAD, region->thread, region->name);
    else
        add_name(context, CTF_NAMED_REGION, region->address, region->name);
}

void zpl_folder_update(void)
{
    bool is_changed = false;

    if (folder[0] == '\0' && !is_within)
        return;
    for (unsigned kind = 0; kind < ZPL_REGION_COUNT; kind++)
        tally_port_each_region((enum zpl_memory_region)kind, take_name,
                               &is_changed);
    if (is_within)
        send_metadata(); /* repeated for late readers */
    else if (is_changed)
        write_metadata();
}
