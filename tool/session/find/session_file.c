/* SPDX-License-Identifier: Apache-2.0 */
/* session_file.c - create the session's memfd, and open those of others */
#include "tool/session/find/session_ledgers.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "format/ledger/segments_layout.h"
#include "tool/files/files.h"

bool session_name_read(const char *value, struct session_name *name)
{
    struct session_name read;
    char again[SESSION_NAME_SIZE];

    if (sscanf(value, "/proc/%9" SCNu32 "/fd/%9" SCNu32 ":%16" SCNx64,
               &read.pid, &read.fd, &read.nonce) != 3)
        return false;
    /* Reject signs, spaces, leading zeros and trailing text. */
    session_name_write(&read, again);
    if (strcmp(value, again) != 0)
        return false;
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
 * Raise RLIMIT_FSIZE, which counts a memfd's length and not its pages. It is
 * raised for this process only: launch_program() restores the old limit in the
 * program.
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

void session_file_name(struct session_file *session, pid_t pid)
{
    const struct session_name name = { (uint32_t)pid, (uint32_t)session->fd,
                                       session->header->nonce };

    session_name_write(&name, session->environment);
}

static int write_header(struct session_file *session,
                        const struct session_header *settings, uint64_t nonce,
                        struct session_failure *failure)
{
    struct session_header header = *settings;
    void *page;

    header.version = SESSION_VERSION;
    header.extent_size = SESSION_EXTENT_SIZE;
    header.ledger_capacity = SESSION_CAPACITY;
    header.nonce = nonce;
    memcpy(header.magic, SESSION_MAGIC, SESSION_MAGIC_SIZE);
    page = mmap(NULL, LEDGER_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
                session->fd, 0);
    if (page == MAP_FAILED)
        return session_fail(failure, "record: cannot map the ledgers: %s",
                            strerror(errno));
    session->settings = header;
    session->header = page;
    memcpy(session->header, &header, sizeof header);
    session_file_name(session, getpid());
    return 0;
}

int session_file_create(struct session_file *session,
                        const struct session_header *settings,
                        struct session_failure *failure)
{
    uint64_t nonce;

    *session = (struct session_file){ .fd = -1 };
    if (getrandom(&nonce, sizeof nonce, 0) != sizeof nonce)
        return session_fail(failure, "record: no random number: %s; try again",
                            strerror(errno));
    if (raise_file_size_limit(session, failure) < 0 ||
        make_file(session, failure) < 0 ||
        write_header(session, settings, nonce, failure) < 0) {
        session_file_close(session);
        return -1;
    }
    return 0;
}

/* Move both descriptors to the next two free numbers, the plan's second. */
static int move_to_pair(int *session, int plan)
{
    int first = *session;

    while (fcntl(first, F_GETFD) >= 0 || fcntl(first + 1, F_GETFD) >= 0)
        first++;
    if (dup3(*session, first, O_CLOEXEC) < 0 ||
        dup3(plan, first + 1, O_CLOEXEC) < 0)
        return -1;
    close(*session);
    *session = first;
    return 0;
}

/* Return a memfd with the plan that no process can change, or -1. */
static int make_plan(const void *plan, size_t size)
{
    int fd = memfd_create("tally-plan", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd < 0 ||
        (write(fd, plan, size) == (ssize_t)size &&
         fcntl(fd, F_ADD_SEALS,
               F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0))
        return fd;
    close(fd);
    return -1;
}

int session_file_add_plan(struct session_file *session, const void *plan,
                          size_t size, struct session_failure *failure)
{
    int fd = make_plan(plan, size), result = -1;

    if (fd >= 0)
        result = move_to_pair(&session->fd, fd);
    if (result < 0 && errno == EBADF)
        errno = EMFILE; /* the number is above the limit */
    if (result < 0)
        session_fail(failure,
                     "record: no memory for the plan of the program's malloc: "
                     "%s; free some or raise ulimit -n",
                     strerror(errno));
    if (fd >= 0)
        close(fd);
    session_file_name(session, getpid());
    return result;
}

void session_file_replace_plan(const struct session_file *session,
                               const void *plan, size_t size)
{
    int fd = make_plan(plan, size);

    if (fd < 0)
        return;
    (void)dup3(fd, session->fd + 1, O_CLOEXEC);
    close(fd);
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

uint64_t session_file_resident_bytes(const struct session_file *session)
{
    struct stat status;

    if (fstat(session->fd, &status) < 0)
        return 0;
    return (uint64_t)status.st_blocks * 512;
}

void session_file_release(const struct session_file *session, uint32_t number)
{
    /* On failure the memory is in use until the end, which does no harm. */
    (void)!fallocate(session->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                     (off_t)session_extent_offset(number),
                     (off_t)SESSION_EXTENT_SIZE);
}

/* Return true for a memfd that stays readable while it is mapped. A memfd of
   huge pages has the same length but may lack pages: it is refused. */
static bool is_session(int fd, struct session_header *header)
{
    int seals = fcntl(fd, F_GET_SEALS);
    struct statfs system;
    struct stat status;

    return fstatfs(fd, &system) == 0 && system.f_type == TMPFS_MAGIC &&
           seals >= 0 && (seals & F_SEAL_SHRINK) != 0 &&
           fstat(fd, &status) == 0 && status.st_size == SESSION_FILE_SIZE &&
           pread(fd, header, sizeof *header, 0) == sizeof *header &&
           memcmp(header->magic, SESSION_MAGIC, SESSION_MAGIC_SIZE) == 0 &&
           header->version == SESSION_VERSION &&
           header->extent_size == SESSION_EXTENT_SIZE;
}

int session_file_open(const char *path, struct session_header *header)
{
    int fd = regular_file_open(AT_FDCWD, path, O_RDWR);

    if (fd < 0 || is_session(fd, header))
        return fd;
    close(fd);
    errno = ENOMSG;
    return -1;
}

int session_file_adopt(struct session_file *session, const char *path,
                       uid_t user, const struct session_header *settings,
                       struct session_failure *failure)
{
    struct session_header header;
    struct stat status;

    *session = (struct session_file){ .fd = session_file_open(path, &header),
                                      .is_adopted = true };
    if (session->fd >= 0 &&
        (fstat(session->fd, &status) < 0 || status.st_uid != user ||
         header.attached != 0 || header.ledger_count != 0))
        session_file_close(session);
    if (session->fd < 0)
        return session_fail(failure,
                            "attach: the program has another file in place of "
                            "its ledger's; try again");
    if (raise_file_size_limit(session, failure) < 0 ||
        write_header(session, settings, header.nonce, failure) < 0) {
        session_file_close(session);
        return -1;
    }
    return 0;
}

bool session_is_left(int session)
{
    struct session_header header;

    return pread(session, &header, sizeof header, 0) == sizeof header &&
           header.attached != 0 && header.is_over != 0;
}
