/* SPDX-License-Identifier: Apache-2.0 */
/* session_file.c - the session's memfd; see session_file.h */
#include "tool/session/find/session_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/ledger/ledger_units.h"

enum { NONCE_DIGITS = 16 };

/* Behind `prefix` and a number of up to nine digits; NULL: they are not
   there. */
static const char *read_number(const char *text, const char *prefix,
                               uint32_t *number)
{
    size_t length = strlen(prefix);

    if (strncmp(text, prefix, length) != 0)
        return NULL;
    text += length;
    length = strspn(text, "0123456789");
    if (length == 0 || length > 9)
        return NULL;
    *number = 0;
    for (; length > 0; length--)
        *number = *number * 10 + (uint32_t)(*text++ - '0');
    return text;
}

bool session_name_read(const char *value, struct session_name *name)
{
    static const char digits[] = "0123456789abcdef";
    struct session_name read = { 0 };

    value = read_number(value, "/proc/", &read.pid);
    if (value != NULL)
        value = read_number(value, "/fd/", &read.fd);
    if (value == NULL || *value++ != ':' ||
        strspn(value, digits) != NONCE_DIGITS || value[NONCE_DIGITS] != '\0')
        return false;
    for (; *value != '\0'; value++)
        read.nonce =
            read.nonce << 4 | (uint64_t)(strchr(digits, *value) - digits);
    *name = read;
    return true;
}

void session_name_write(const struct session_name *name,
                        char value[SESSION_NAME_SIZE])
{
    snprintf(value, SESSION_NAME_SIZE,
             "/proc/%" PRIu32 "/fd/%" PRIu32 ":%016" PRIx64, name->pid,
             name->fd, name->nonce);
}

/*
 * RLIMIT_FSIZE counts a memfd's length, not its pages. The limit is the
 * program's business: it is raised for ourselves alone, and launch_program()
 * gives the child the one that we found.
 */
static int raise_file_size_limit(struct session_file *session,
                                 struct session_failure *failure)
{
    struct rlimit raised;

    if (getrlimit(RLIMIT_FSIZE, &session->file_size_limit) < 0)
        return session_fail(failure, "record: getrlimit: %s", strerror(errno));
    raised = session->file_size_limit;
    if (raised.rlim_max < SESSION_FILE_SIZE)
        raised.rlim_max = RLIM_INFINITY;
    if (raised.rlim_cur >= SESSION_FILE_SIZE)
        return 0;
    raised.rlim_cur = raised.rlim_max;
    if (setrlimit(RLIMIT_FSIZE, &raised) < 0)
        return session_fail(failure,
                            "record: the hard limit on file sizes "
                            "(ulimit -H -f) leaves no room for a ledger; "
                            "raise it for tally, which gives the program "
                            "its own");
    return 0;
}

static int make_file(struct session_file *session,
                     struct session_failure *failure)
{
    session->fd = memfd_create("tally", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (session->fd < 0)
        return session_fail(failure,
                            "record: no memory for the ledgers: %s; free "
                            "some or raise ulimit -n",
                            strerror(errno));
    if (ftruncate(session->fd, (off_t)SESSION_FILE_SIZE) < 0 ||
        fcntl(session->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) < 0)
        return session_fail(failure,
                            "record: cannot lay out the ledgers: %s; see "
                            "ulimit -f and the memory of this system",
                            strerror(errno));
    return 0;
}

static int write_header(struct session_file *session,
                        const struct session_settings *settings,
                        struct session_failure *failure)
{
    struct session_header header = {
        .version = SESSION_VERSION,
        .follow = settings->follow,
        .extent_size = SESSION_EXTENT_SIZE,
        .ledger_capacity = SESSION_CAPACITY,
        .control = settings->control,
        .compressed = settings->compressed,
        .events_clock = settings->events_clock,
        .stacks = settings->stacks,
        .sample_interval = settings->sample_interval,
        .sample_seed = settings->sample_seed,
    };
    struct session_name name;
    void *page;

    if (getrandom(&header.nonce, sizeof header.nonce, 0) != sizeof header.nonce)
        return session_fail(failure, "record: no random number: %s; try again",
                            strerror(errno));
    memcpy(header.magic, SESSION_MAGIC, SESSION_MAGIC_SIZE);
    if (settings->own_allocator != NULL)
        snprintf(header.own_allocator, sizeof header.own_allocator, "%s",
                 settings->own_allocator);
    page = mmap(NULL, LEDGER_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
                session->fd, 0);
    if (page == MAP_FAILED)
        return session_fail(failure, "record: cannot map the ledgers: %s",
                            strerror(errno));
    session->header = page;
    memcpy(session->header, &header, sizeof header);
    name = (struct session_name){ (uint32_t)getpid(), (uint32_t)session->fd,
                                  header.nonce };
    session_name_write(&name, session->environment);
    return 0;
}

int session_file_create(struct session_file *session,
                        const struct session_settings *settings,
                        struct session_failure *failure)
{
    *session = (struct session_file){ .fd = -1 };
    if (raise_file_size_limit(session, failure) < 0 ||
        make_file(session, failure) < 0 ||
        write_header(session, settings, failure) < 0) {
        session_file_close(session);
        return -1;
    }
    return 0;
}

void session_file_close(struct session_file *session)
{
    if (session->header != NULL)
        munmap(session->header, LEDGER_PAGE);
    if (session->fd >= 0)
        close(session->fd);
    session->header = NULL;
    session->fd = -1;
}

uint32_t session_file_ledger_count(const struct session_file *session)
{
    uint32_t count =
        __atomic_load_n(&session->header->ledger_count, __ATOMIC_ACQUIRE);

    return count < SESSION_CAPACITY ? count : SESSION_CAPACITY;
}

uint64_t session_extent_offset(uint32_t number)
{
    return ((uint64_t)number + 1) * SESSION_EXTENT_SIZE;
}

uint64_t session_file_resident_bytes(const struct session_file *session)
{
    struct stat status;

    if (fstat(session->fd, &status) < 0)
        return 0;
    return (uint64_t)status.st_blocks * 512;
}

void session_file_release(const struct session_file *session, uint32_t number)
{
    /* Should this fail, the memory is held until the end: no harm done. */
    (void)!fallocate(session->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                     (off_t)session_extent_offset(number),
                     (off_t)SESSION_EXTENT_SIZE);
}
