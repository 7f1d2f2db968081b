/* SPDX-License-Identifier: Apache-2.0 */
/* load.c - see attach.h */
#include "tool/attach/attach.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "format/recorder_image.h"
#include "format/text_after.h"
#include "tool/files/files.h"

/* With a slash, behind which a name is looked for: "memfd:" comes before. */
#define COPY "/" LOAD_RECORDER ".so"

struct loading {
    struct remote *remote;
    uint64_t room, stack;
    struct session_failure *failure;
};

bool load_is_done(pid_t pid)
{
    return entries_find(pid, LOAD_RECORDER, "tally_record_open") != 0;
}

static int call(const struct loading *loading, uint64_t address,
                uint64_t number, uint64_t first, uint64_t second,
                uint64_t *result)
{
    const struct remote_function function = { .address = address,
                                              .number = number,
                                              .stack = loading->stack };
    const uint64_t arguments[6] = { first, second };

    return remote_call(loading->remote, &function, arguments, result);
}

static int write_path(const struct loading *loading, const char *path)
{
    return tracee_write(loading->remote->tracee, loading->room, path,
                        strlen(path) + 1)
               ? 0
               : session_fail(loading->failure,
                              "attach: the process has executed another "
                              "program; try again");
}

static int load(const struct loading *loading, const char *path)
{
    pid_t pid = loading->remote->tracee->pid;
    uint64_t handle, function = entries_find(pid, "libc.so", "dlopen");

    if (function == 0)
        function = entries_find(pid, "libdl", "dlopen");
    if (function == 0)
        return session_fail(loading->failure,
                            "attach: the program has no dlopen; start it "
                            "under tally record");
    if (write_path(loading, path) < 0 ||
        call(loading, function, 0, loading->room, RTLD_NOW, &handle) < 0)
        return -1;
    return load_is_done(pid)
               ? 0
               : session_fail(loading->failure,
                              "attach: the program's loader refused %s; make "
                              "it readable for the program's user",
                              path);
}

/* A file of that name may be another there. */
static bool is_there(pid_t pid, const char *library)
{
    char path[PATH_MAX + 32];
    struct stat here, there;

    snprintf(path, sizeof path, "/proc/%ld/root%s", (long)pid, library);
    return stat(library, &here) == 0 && stat(path, &there) == 0 &&
           here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

bool load_is_fresh(int fd, uid_t user)
{
    struct stat status;

    return fd >= 0 && fcntl(fd, F_GET_SEALS) == 0 && fstat(fd, &status) == 0 &&
           status.st_size == 0 && status.st_uid == user;
}

static bool is_copy(const char *path)
{
    char link[sizeof "/memfd:" COPY] = "";

    return readlink(path, link, sizeof link - 1) > 0 &&
           text_after(link, "/memfd:" COPY) != NULL;
}

static int fill(const struct loading *loading, const char *library, int number)
{
    int from = open(library, O_RDONLY | O_CLOEXEC), to;
    char path[64];
    ssize_t size = -1;

    snprintf(path, sizeof path, "/proc/%ld/fd/%d",
             (long)loading->remote->tracee->pid, number);
    to = regular_file_open(AT_FDCWD, path, O_WRONLY);
    if (from >= 0 &&
        load_is_fresh(to, process_user(loading->remote->tracee->pid))) {
        while ((size = sendfile(to, from, NULL, INT_MAX)) > 0)
            ;
        /* The program runs what lies there, and its children have it, too. */
        fcntl(to, F_ADD_SEALS,
              F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    }
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
    return size == 0
               ? 0
               : session_fail(
                     loading->failure,
                     "attach: cannot copy %s to the program: %s; try again",
                     library, strerror(errno));
}

/* The loader keeps the path as the library's name: it is written as no program
   would that loads a file of its own. */
static int load_copy(const struct loading *loading, const char *library)
{
    uint64_t system_call = loading->remote->code.syscall, number, ignored;
    char path[64];
    int result;

    if (geteuid() != 0) /* it would not be found again by map_files */
        return session_fail(loading->failure,
                            "attach: the program's container has no such %s, "
                            "or another one; use sudo outside of the container",
                            library);
    if (write_path(loading, COPY) < 0 ||
        call(loading, system_call, SYS_memfd_create, loading->room,
             MFD_CLOEXEC | MFD_ALLOW_SEALING, &number) < 0)
        return -1;
    if ((int64_t)number < 0)
        return session_fail(loading->failure,
                            "attach: cannot open %s in the program: %s; raise "
                            "its limits of files",
                            library, strerror(-(int)number));
    result = fill(loading, library, (int)number);
    snprintf(path, sizeof path, "/proc/self/./fd/%d", (int)number);
    if (result == 0)
        result = load(loading, path);
    snprintf(path, sizeof path, "/proc/%ld/fd/%d",
             (long)loading->remote->tracee->pid, (int)number);
    if (is_copy(path))
        (void)call(loading, system_call, SYS_close, number, 0, &ignored);
    return result;
}

int load_recorder(struct remote *remote, const char *library, uint64_t room,
                  uint64_t stack)
{
    const struct loading loading = { remote, room, stack,
                                     remote->tracee->failure };
    pid_t pid = remote->tracee->pid;

    if (load_is_done(pid))
        return 0;
    return is_there(pid, library) ? load(&loading, library)
                                  : load_copy(&loading, library);
}

enum { MOST_VARIABLES = 64 << 20, MOST_WORDS = 4096 };

/* Bytes to write, read before any thread is stopped. */
struct renewal {
    struct remote *remote;
    struct recorder_image image;
    uint8_t *copy; /* of the variables; those that stay are written over */
    uint8_t words[MOST_WORDS];
};

static bool is_sound(const struct recorder_image *image)
{
    return image->version == RECORDER_IMAGE_VERSION &&
           image->size <= MOST_VARIABLES && image->kept >= image->start &&
           image->kept_size <= image->size &&
           image->kept - image->start <= image->size - image->kept_size &&
           image->words_size <= MOST_WORDS &&
           image->words_copy_size <= image->words_size;
}

static bool read_all(struct renewal *renewal)
{
    const struct tracee *tracee = renewal->remote->tracee;
    const struct recorder_image *image = &renewal->image;

    if (!is_sound(image))
        return false;
    renewal->copy = malloc(image->size);
    return renewal->copy != NULL &&
           tracee_read(tracee, image->copy, renewal->copy, image->size) &&
           tracee_read(tracee, image->words_copy, renewal->words,
                       image->words_copy_size);
}

static bool is_in_code(uint64_t word, const void *context)
{
    const struct recorder_image *image = context;

    return word - image->code < image->code_size;
}

/* Return true if no thread is in the recorder or returns to it. */
static bool is_quiet(const struct renewal *renewal,
                     const struct stack_words *words)
{
    const struct recorder_image *image = &renewal->image;
    const struct tracee *tracee = renewal->remote->tracee;

    for (size_t i = 0; i < tracee->count; i++) {
        const struct tracee_thread *thread = &tracee->threads[i];

        if (stack_words_may_have(words, thread, is_in_code, image) &&
            (tracee_is_past(words->deadline) ||
             safe_place_is_in(renewal->remote->place, thread->tid, image->code,
                              image->code_size)))
            return false;
    }
    return true;
}

static bool write_words(const struct renewal *renewal)
{
    const struct recorder_image *image = &renewal->image;
    const struct tracee *tracee = renewal->remote->tracee;

    for (size_t i = 0; i < tracee->count; i++) {
        const struct tracee_thread *thread = &tracee->threads[i];
        struct user_regs_struct registers;

        if (thread->has_ended || !thread->is_stopped)
            continue;
        if (!tracee_get_registers(thread->tid, &registers) ||
            !tracee_write(tracee, registers.fs_base + (uint64_t)image->words,
                          renewal->words, image->words_size))
            return false;
    }
    return true;
}

/* Write all variables but those that are kept. */
static bool write_variables(const struct renewal *renewal)
{
    const struct recorder_image *image = &renewal->image;
    const struct tracee *tracee = renewal->remote->tracee;
    size_t before = image->kept - image->start;
    size_t behind = before + image->kept_size;

    return tracee_write(tracee, image->start, renewal->copy, before) &&
           tracee_write(tracee, image->start + behind, renewal->copy + behind,
                        image->size - behind);
}

static enum standstill try_to_write(const struct stack_words *words,
                                    void *context)
{
    const struct renewal *renewal = context;

    if (!is_quiet(renewal, words))
        return STANDSTILL_AGAIN;
    return write_words(renewal) && write_variables(renewal)
               ? STANDSTILL_DONE
               : STANDSTILL_REFUSED;
}

int renew(struct remote *remote, uint64_t image, int limit_ms,
          uint64_t *stopped_ns)
{
    static const struct standstill_why why = {
        .refused = "cannot write to the recorder's memory in the program",
        .again = "a thread is still inside the recorder since the last attach; "
                 "try again",
    };
    struct session_failure *failure = remote->tracee->failure;
    struct renewal renewal = { .remote = remote };
    int result;

    if (!tracee_read(remote->tracee, image, &renewal.image,
                     sizeof renewal.image))
        return session_fail(failure,
                            "attach: the program has loaded another version of "
                            "the recorder; restart the program");
    if (renewal.image.copy == 0)
        return 0;
    result = read_all(&renewal)
                 ? standstill(remote->tracee, limit_ms, try_to_write, &renewal,
                              &why, stopped_ns)
                 : session_fail(failure,
                                "attach: the program has loaded another "
                                "version of the recorder; restart the program");
    free(renewal.copy);
    return result;
}
