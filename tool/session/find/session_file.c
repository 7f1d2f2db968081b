/* SPDX-License-Identifier: Apache-2.0 */
/* session_file.c - making the session's memfd, and finding it */
#include "tool/session/find/session_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/ledger/ledger_units.h"
#include "tool/files/regular_file.h"
#include "tool/session/find/process_state.h"

enum { MOST_ENVIRONMENT = 8 << 20, PARENTS = 16 };

bool session_name_read(const char *value, struct session_name *name)
{
    struct session_name read;
    char again[SESSION_NAME_SIZE];

    if (sscanf(value, "/proc/%9" SCNu32 "/fd/%9" SCNu32 ":%16" SCNx64,
               &read.pid, &read.fd, &read.nonce) != 3)
        return false;
    /* Signs, spaces, leading zeros and what is behind are not ours. */
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

int session_file_adopt(struct session_file *session, int fd,
                       const struct session_header *settings,
                       struct session_failure *failure)
{
    struct session_header header;
    struct stat status;

    *session = (struct session_file){ .fd = fd, .is_adopted = true };
    if (fstat(fd, &status) < 0 || status.st_size != SESSION_FILE_SIZE ||
        pread(fd, &header, sizeof header, 0) != sizeof header ||
        memcmp(header.magic, SESSION_MAGIC, SESSION_MAGIC_SIZE) != 0) {
        session_file_close(session);
        return session_fail(failure, "attach: the program has another file in "
                                     "place of its ledger's; try again");
    }
    if (raise_file_size_limit(session, failure) < 0 ||
        write_header(session, settings, header.nonce, failure) < 0) {
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

/*
 * From a pid to its session's file. The environment names a descriptor of tally
 * record. Once that has ended, the file lives on in the memory of the processes
 * that map it. A privileged user may open it through /proc/PID/map_files.
 */

/* The value of TALLY_SESSION that the process began with; "" without one. */
static int read_environment(pid_t pid, char value[PATH_MAX])
{
    static const char name[] = SESSION_ENVIRONMENT "=";
    FILE *file = process_file(pid, "environ");
    size_t length = 0;
    bool is_read;
    char *text;

    if (file == NULL)
        return -1;
    /* Memory only as far as it is written. */
    text = malloc(MOST_ENVIRONMENT + 1);
    if (text != NULL)
        length = fread(text, 1, MOST_ENVIRONMENT, file);
    is_read = text != NULL && !ferror(file);
    fclose(file);
    value[0] = '\0';
    if (is_read)
        text[length] = '\0';
    for (size_t at = 0; is_read && at < length; at += strlen(text + at) + 1) {
        if (strncmp(text + at, name, sizeof name - 1) == 0) {
            snprintf(value, PATH_MAX, "%s", text + at + sizeof name - 1);
            break;
        }
    }
    free(text);
    return is_read ? 0 : -1;
}

bool session_is_named_by(pid_t pid)
{
    char value[PATH_MAX];

    return read_environment(pid, value) == 0 && value[0] != '\0';
}

static bool is_session(int fd, struct session_header *header)
{
    int seals = fcntl(fd, F_GET_SEALS);

    return seals >= 0 && (seals & F_SEAL_SHRINK) != 0 &&
           pread(fd, header, sizeof *header, 0) == sizeof *header &&
           memcmp(header->magic, SESSION_MAGIC, SESSION_MAGIC_SIZE) == 0 &&
           header->version == SESSION_VERSION &&
           header->extent_size == SESSION_EXTENT_SIZE;
}

static int reject(int fd)
{
    close(fd);
    errno = ENOMSG;
    return -1;
}

/*
 * Only a file that is sealed against shrinking while we map it: the other
 * process chooses where the name leads.
 */
static int open_session(const char *path, struct session_header *header)
{
    int fd = regular_file_open(AT_FDCWD, path, O_RDWR);

    return fd >= 0 && !is_session(fd, header) ? reject(fd) : fd;
}

/* As the environment says, if its number is the session's. */
static int open_named(const char *value, struct session_header *header)
{
    struct session_name name;
    char path[64];
    int fd;

    errno = ENOMSG;
    if (!session_name_read(value, &name))
        return -1;
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/fd/%" PRIu32, name.pid,
             name.fd);
    fd = open_session(path, header);
    return fd >= 0 && header->nonce != name.nonce ? reject(fd) : fd;
}

/* The first entry of /proc/PID/FOLDER that leads to a session. */
static int open_from_folder(pid_t pid, const char *name,
                            struct session_header *header)
{
    char folder_path[64];
    struct dirent *entry;
    DIR *folder;
    int fd = -1;

    snprintf(folder_path, sizeof folder_path, "/proc/%ld/%s", (long)pid, name);
    folder = opendir(folder_path);
    if (folder == NULL)
        return -1;
    while (fd < 0 && (entry = readdir(folder)) != NULL) {
        char path[64 + sizeof entry->d_name];
        char target[64];
        ssize_t length;

        snprintf(path, sizeof path, "%s/%s", folder_path, entry->d_name);
        length = readlink(path, target, sizeof target - 1);
        if (length <= 0)
            continue;
        target[length] = '\0';
        if (strncmp(target, "/memfd:tally", strlen("/memfd:tally")) == 0)
            fd = open_session(path, header);
    }
    closedir(folder);
    return fd;
}

bool session_is_held_by(pid_t pid)
{
    struct session_header header;
    int fd = open_from_folder(pid, "fd", &header);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* Servers write titles over their environment: a parent's says it, too, and the
   first is a child of tally record. */
static int open_from_parents(pid_t pid, struct session_header *header)
{
    struct process_state state;
    char value[PATH_MAX];
    int fd = -1;

    for (int level = 0; fd < 0 && level < PARENTS; level++) {
        if (process_state_read(pid, &state) < 0)
            break;
        pid = state.parent;
        if (read_environment(pid, value) == 0 && value[0] != '\0')
            return open_named(value, header);
        fd = open_from_folder(pid, "fd", header);
    }
    return fd;
}

int session_search(pid_t pid, struct session_header *header,
                   struct session_failure *failure)
{
    struct process_state state;
    char value[PATH_MAX];
    int fd = -1;
    int error;

    if (pid == 0 || (kill(pid, 0) < 0 && errno == ESRCH) ||
        (process_state_read(pid, &state) == 0 && state.has_ended))
        return session_fail(failure, "%ld: no such process; name one that runs",
                            (long)pid);
    if (read_environment(pid, value) < 0)
        return session_fail(failure,
                            "%ld: cannot look at that process: %s; "
                            "ask as its user or as root",
                            (long)pid, strerror(errno));
    if (value[0] != '\0')
        fd = open_named(value, header);
    error = value[0] != '\0' ? errno : 0;
    if (fd < 0)
        fd = open_from_folder(pid, "fd", header);
    if (fd < 0)
        fd = open_from_folder(pid, "map_files", header);
    if (fd < 0 && value[0] == '\0')
        fd = open_from_parents(pid, header);
    if (fd >= 0)
        return fd;
    if (error == EACCES || error == EPERM)
        return session_fail(failure,
                            "%ld: its ledger cannot be opened: %s; "
                            "ask as the user of tally record",
                            (long)pid, strerror(error));
    if (value[0] != '\0')
        return session_fail(failure,
                            "%ld: its tally record has ended, and "
                            "its ledger cannot be reached without "
                            "it; ask as root",
                            (long)pid);
    return session_fail(failure,
                        "%ld: not recorded by Tally; record it from now on "
                        "with tally attach",
                        (long)pid);
}
