/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.c - claiming an extent of the session's file
 *
 * The environment belongs to the program: its words are checked against the
 * file, byte by byte, before they are believed. A reused process number leads
 * to a file without our magic and nonce.
 */
#define _GNU_SOURCE
#include "ledger/space/session.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/console_line.h"
#include "format/cursor.h"
#include "format/ledger/ledger_layout.h"
#include "ports/posix/memory/pages.h"
#include "ports/posix/raw_calls.h"
#include "tally/port.h"

enum { PATH_CAPACITY = 64, NONCE_DIGITS = 16 };
enum { HIGH_DESCRIPTOR = 700 }; /* below the usual limit of 1,024 */
enum { OWN_LEDGERS = 1024 };    /* their memory is never returned */

static char path[PATH_CAPACITY];
static char common_path[PATH_CAPACITY]; /* of our own session, for children */
static uint64_t nonce;
static uint32_t follow;
KEPT static struct {
    int fd; /* descriptor + 1; 0: none */
    dev_t device;
    ino_t inode;
} own;                    /* file of our own session */
static long own_pid;      /* process that made it */
static struct stat owner; /* of the session's file, made by tally record */

static long open_path(const char *which)
{
    return raw_open(which, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* Open the session's file. A child may have closed its descriptor. */
static long open_session(void)
{
    long fd = open_path(path);

    return fd < 0 && common_path[0] != '\0' ? open_path(common_path) : fd;
}

static bool parse_environment(void)
{
    const char *value = tally_port_environment(SESSION_ENVIRONMENT);
    const char *colon = value == NULL ? NULL : strrchr(value, ':');
    struct cursor digits;

    if (colon == NULL || colon - value >= PATH_CAPACITY)
        return false;
    digits = (struct cursor){ colon + 1, colon + strlen(colon) };
    if (digits.end - digits.next != NONCE_DIGITS ||
        !cursor_number(&digits, 16, &nonce) || digits.next != digits.end)
        return false;
    memcpy(path, value, (size_t)(colon - value));
    path[colon - value] = '\0';
    return true;
}

/* Take the next number, unless this exec image is not to be recorded. */
static bool take_extent(uint32_t *count, struct session_claim *claim,
                        bool is_first_image)
{
    uint32_t number = __atomic_load_n(count, __ATOMIC_ACQUIRE);

    do {
        if (number >= claim->header.ledger_capacity) /* checked before */
            return false;
        if (is_first_image && number > 0 && !session_follows_execs()) {
            follow = SESSION_FOLLOW_NONE; /* nor its children */
            return false;
        }
    } while (!__atomic_compare_exchange_n(count, &number, number + 1, false,
                                          __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    claim->offset = (uint64_t)(number + 1) * SESSION_EXTENT_SIZE;
    return true;
}

/* Return true if a write there obeys RLIMIT_FSIZE: beyond it the program is
   killed. */
static bool may_reach(uint64_t size)
{
    struct rlimit limit = { 0, 0 };

    raw_call(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, RAW_ARGUMENT(&limit), 0, 0);
    return size <= limit.rlim_cur;
}

/* Add to a word of the file without a mapping, for which there may be no
   space. */
static void add_to_word(long fd, uint64_t offset, uint32_t added)
{
    uint32_t word = 0;

    if (!may_reach(offset + sizeof word))
        return;
    raw_call(SYS_pread64, fd, RAW_ARGUMENT(&word), sizeof word, (long)offset, 0,
             0);
    word += added;
    raw_call(SYS_pwrite64, fd, RAW_ARGUMENT(&word), sizeof word, (long)offset,
             0, 0);
}

/* Return true if the file has the size of a session and keeps it: if it were
   cut, all processes that map it would be killed. */
static bool has_session_size(int fd)
{
    long seals = raw_call(SYS_fcntl, fd, F_GET_SEALS, 0, 0, 0, 0);

    return seals >= 0 && (seals & F_SEAL_SHRINK) != 0 &&
           raw_call(SYS_fstat, fd, RAW_ARGUMENT(&owner), 0, 0, 0, 0) == 0 &&
           (uint64_t)owner.st_size >= SESSION_FILE_SIZE;
}

/* Read the header without mapping it. */
static bool read_header(long fd, struct session_header *header)
{
    return raw_call(SYS_pread64, fd, RAW_ARGUMENT(header), sizeof *header, 0, 0,
                    0) == sizeof *header &&
           memcmp(header->magic, SESSION_MAGIC, SESSION_MAGIC_SIZE) == 0 &&
           header->version == SESSION_VERSION && header->nonce == nonce &&
           header->extent_size == SESSION_EXTENT_SIZE &&
           header->ledger_capacity <= SESSION_CAPACITY;
}

static bool claim_number(long fd, struct session_claim *claim,
                         bool is_first_image)
{
    struct session_header *header = &claim->header;
    struct session_header *page;
    long at;
    bool is_taken;

    if (!has_session_size((int)fd) || !read_header(fd, header))
        return false;
    follow = header->control == LEDGER_CONTROL_NEVER ? SESSION_FOLLOW_NONE
                                                     : header->follow;
    if (header->control == LEDGER_CONTROL_NEVER)
        return false;
    at = raw_mmap(NULL, LEDGER_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
                  (int)fd, 0);
    if (raw_failed(at))
        return false;
    page = (void *)(uintptr_t)at;
    is_taken = take_extent(&page->ledger_count, claim, is_first_image);
    raw_munmap(page, LEDGER_PAGE);
    header->own_allocator[SESSION_SYMBOL_CAPACITY - 1] = '\0';
    if (!is_taken || claim->offset != SESSION_EXTENT_SIZE) /* not the first */
        header->own_allocator[0] = '\0';
    return is_taken;
}

static bool claim_extent(struct session_claim *claim, bool is_first_image)
{
    long fd = open_session();
    bool is_taken;

    /* Processes that this image runs may reach the session even if it does
       not. */
    if (is_first_image && fd != -ENOENT)
        follow = SESSION_FOLLOW_ALL;
    if (fd < 0)
        return false;
    is_taken = claim_number(fd, claim, is_first_image);
    claim->fd = (int)fd;
    if (!is_taken)
        raw_close((int)fd);
    return is_taken;
}

bool session_claim_first(struct session_claim *claim)
{
    return (path[0] != '\0' || parse_environment()) &&
           claim_extent(claim, true);
}

/* Move the descriptor away from programs that expect small numbers. */
static long keep_high(long fd)
{
    long high =
        raw_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR, 0, 0, 0);

    if (raw_failed(high))
        return fd;
    raw_close((int)fd);
    return high;
}

static void write_paths(long fd)
{
    struct console_line line = { 0 }, common = { 0 };

    console_line_add(&line, "/proc/self/fd/");
    console_line_add_number(&line, (uint32_t)fd);
    memcpy(path, line.text, line.size + 1);
    own_pid = raw_getpid();
    console_line_add(&common, "/proc/");
    console_line_add_number(&common, (uint32_t)own_pid);
    console_line_add(&common, "/fd/");
    console_line_add_number(&common, (uint32_t)fd);
    memcpy(common_path, common.text, common.size + 1);
}

static bool write_header(long fd, uint32_t control, bool is_compressed)
{
    struct session_header header = {
        .version = SESSION_VERSION,
        .follow = SESSION_FOLLOW_FORK,
        .nonce = nonce,
        .extent_size = SESSION_EXTENT_SIZE,
        .ledger_capacity = OWN_LEDGERS,
        .control = control,
        .compressed = is_compressed,
    };

    memcpy(header.magic, SESSION_MAGIC, SESSION_MAGIC_SIZE);
    return raw_call(SYS_pwrite64, fd, RAW_ARGUMENT(&header), sizeof header, 0,
                    0, 0) == sizeof header;
}

/* Keep the file by a descriptor that grants nothing. A forked child of the same
   user reopens the file by it; a child that gave up its rights cannot. */
static long keep_closed(long fd)
{
    struct stat status;
    long kept;

    write_paths(fd);
    raw_call(SYS_fstat, fd, RAW_ARGUMENT(&status), 0, 0, 0, 0);
    raw_call(SYS_fchmod, fd, S_IRUSR | S_IWUSR, 0, 0, 0, 0);
    kept = raw_open(path, O_PATH | O_CLOEXEC);
    raw_close((int)fd);
    if (kept < 0)
        return kept;
    kept = keep_high(kept);
    write_paths(kept);
    own.fd = (int)kept + 1;
    own.device = status.st_dev;
    own.inode = status.st_ino;
    return kept;
}

long session_make(uint32_t control, bool is_compressed)
{
    long fd;

    if (!may_reach(SESSION_FILE_SIZE))
        return -1;
    fd = raw_call(SYS_memfd_create, RAW_ARGUMENT("tally"),
                  MFD_CLOEXEC | MFD_ALLOW_SEALING, 0, 0, 0, 0);
    if (raw_failed(fd))
        return -1;
    raw_call(SYS_getrandom, RAW_ARGUMENT(&nonce), sizeof nonce, 0, 0, 0, 0);
    if (raw_failed(
            raw_call(SYS_ftruncate, fd, (long)SESSION_FILE_SIZE, 0, 0, 0, 0)) ||
        raw_failed(raw_call(SYS_fcntl, fd, F_ADD_SEALS,
                            F_SEAL_SHRINK | F_SEAL_GROW, 0, 0, 0)) ||
        !write_header(fd, control, is_compressed)) {
        raw_close((int)fd);
        return -1;
    }
    return keep_closed(fd);
}

/* Close the file unless the program closed it and has its own file there. */
void session_close_own(void)
{
    struct stat status;

    if (own.fd != 0 &&
        raw_call(SYS_fstat, own.fd - 1, RAW_ARGUMENT(&status), 0, 0, 0, 0) ==
            0 &&
        status.st_dev == own.device && status.st_ino == own.inode)
        raw_close(own.fd - 1);
    own.fd = 0;
}

const char *session_path(void)
{
    return path;
}

bool session_is_own(void)
{
    return common_path[0] != '\0';
}

bool session_write_variable(char text[SESSION_VARIABLE], bool is_for_child)
{
    static const char digits[] = "0123456789abcdef";
    struct session_header header;
    long fd = open_path(common_path);
    bool is_followed = fd >= 0 && read_header(fd, &header) &&
                       (header.follow & SESSION_FOLLOW_EXEC) != 0;

    if (fd >= 0)
        raw_close((int)fd);
    text =
        stpcpy(stpcpy(stpcpy(text, SESSION_ENVIRONMENT "="), common_path), ":");
    for (unsigned shift = 64; shift != 0;) {
        shift -= 4;
        *text++ = digits[nonce >> shift & 15];
    }
    *text = '\0';
    return is_followed && (is_for_child || raw_getpid() != own_pid);
}

bool session_claim_own(uint32_t control, bool is_compressed,
                       struct session_claim *claim)
{
    return session_make(control, is_compressed) >= 0 &&
           claim_extent(claim, true);
}

bool session_claim_forked(struct session_claim *claim)
{
    return claim_extent(claim, false);
}

bool session_follows_forks(void)
{
    return (follow & SESSION_FOLLOW_FORK) != 0;
}

bool session_follows_execs(void)
{
    return (follow & SESSION_FOLLOW_EXEC) != 0;
}

void session_give_up(const struct session_claim *claim)
{
    add_to_word(claim->fd, claim->offset + offsetof(struct ledger_header, pid),
                (uint32_t)raw_getpid());
}

void session_expect_image(long pid, uint32_t added)
{
    struct session_header header;
    long fd = open_session();

    if (fd < 0)
        return;
    if (read_header(fd, &header))
        add_to_word(fd, SESSION_EXPECTED + (uint64_t)pid * sizeof added, added);
    raw_close((int)fd);
}

bool session_is_reachable(void)
{
    long fd = open_session();
    long user = raw_call(SYS_geteuid, 0, 0, 0, 0, 0, 0);
    long group = raw_call(SYS_getegid, 0, 0, 0, 0, 0, 0);

    if (fd < 0)
        return false;
    raw_close((int)fd);
    /* Exec ends all rights of the next image beyond those of its user. */
    return user == 0 ||
           (user == (long)owner.st_uid && group == (long)owner.st_gid);
}

bool session_is_full(void)
{
    struct session_header header;
    long fd = open_session();
    bool is_full = fd >= 0 && read_header(fd, &header) &&
                   header.ledger_count >= header.ledger_capacity;

    if (fd >= 0)
        raw_close((int)fd);
    return is_full;
}
