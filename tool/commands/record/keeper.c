/* SPDX-License-Identifier: Apache-2.0 */
/* keeper.c - hold the session's file, and write the ledgers that are left */
#include "tool/commands/record/record_parts.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "tool/files/files.h"

enum { LOOK_MS = 250, BEGINNING_MS = 1000 };

/* Messages from tally record to the keeper, in shared memory: no pipe can
   break. */
struct keeper_word {
    pid_t program; /* 0: not started */
    bool is_over, has_begun;
    uint32_t asked;                 /* copies requested by a signal */
    struct blackbox_account copies; /* written by the keeper */
};

/* State of the keeper process, set when it starts. */
static const struct record_options *asked;
static volatile struct keeper_word *heard;
static struct image_writer writer;
static struct blackbox box; /* no folder: no black box */

static int look(int wait_ms)
{
    if (box.kept.folder == NULL)
        return wait_ms;
    box.asked = heard->asked;
    return blackbox_poll(&box, &writer.table, wait_ms);
}

/* Replace tally record until the last process has ended. */
static void go_on(void)
{
    struct process_state state = { 0 };

    writer.program = heard->program;
    if (asked->keep[0] != '\0') {
        ledger_file_name(asked->keep, asked->program[0], writer.program,
                         writer.path);
        ledger_file_choose(writer.path);
    }
    (void)process_state_read(writer.program, &state);
    while (image_writer_running(&writer) > 0 ||
           (state.start_ticks != 0 &&
            process_is_alive(writer.program, state.start_ticks))) {
        int wait_ms = image_writer_poll(&writer);

        memory_limits_wait(&box.limits, -1,
                           look(wait_ms > LOOK_MS ? LOOK_MS : wait_ms));
    }
    if (asked->keep[0] != '\0')
        image_writer_finish(&writer);
}

/* Make a plan for a process of the session, if its program's file is root's or
   this user's: others may have written it to harm its readers. The file is
   opened once, as the process may execute another one at any time. */
static void make_plan(uint32_t pid)
{
    char path[64], why[PATCH_WHY_SIZE];
    struct patch_plan plan = { 0 };
    struct stat status;
    bool is_trusted, is_made;
    int fd;

    snprintf(path, sizeof path, "/proc/%" PRIu32 "/exe", pid);
    fd = regular_file_open(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    is_trusted = fstat(fd, &status) == 0 &&
                 (status.st_uid == 0 || status.st_uid == getuid());
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    is_made = is_trusted && patch_plan_make(path, &plan, why);
    close(fd);
    if (!is_trusted)
        return;
    if (!is_made) {
        plan = (struct patch_plan){ .device = status.st_dev,
                                    .inode = status.st_ino };
        snprintf(plan.why, sizeof plan.why, "%s", why);
    }
    plan.nonce = writer.session->settings.nonce;
    session_file_replace_plan(writer.session, &plan, sizeof plan);
}

/* Take a message of descriptor 0; return false once tally record has ended. */
static bool hear(void)
{
    uint32_t pid;
    ssize_t size = read(STDIN_FILENO, &pid, sizeof pid);

    if (size == sizeof pid)
        make_plan(pid);
    return size > 0;
}

static void live(void)
{
    prctl(PR_SET_NAME, "tally-keeper");
    if (box.kept.folder != NULL)
        blackbox_begin(&box);
    heard->has_begun = true;
    while (!memory_limits_wait(&box.limits, STDIN_FILENO,
                               look(box.kept.folder == NULL ? -1 : LOOK_MS)) ||
           hear())
        ;
    writer.session->header->patches = writer.session->settings.patches;
    if (!heard->is_over && heard->program != 0)
        go_on();
}

void keeper_begin(struct keeper *keeper, const struct record_options *options,
                  const char *program_path, struct session_file *session)
{
    sigset_t all, held;
    struct keeper_word *word = mmap(NULL, sizeof *word, PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (word == MAP_FAILED)
        return;
    asked = options;
    heard = word;
    writer = (struct image_writer){ .session = session,
                                    .most = options->most,
                                    .program_path = program_path,
                                    .arguments = options->program };
    if (options->settings.blackbox_rings != 0)
        box = (struct blackbox){ .session = session,
                                 .kept = { .folder = options->keep,
                                           .program = program_path },
                                 .account = &word->copies };
    /* Block signals to the process group until the keeper has left it. */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &held);
    keeper->companion = companion_start(
        live, session->fd,
        1 + (session->settings.patches != SESSION_PATCHES_NONE));
    sigprocmask(SIG_SETMASK, &held, NULL);
    keeper->word = word;
    word->copies.failed = keeper->companion.pid <= 0;
    word->copies.error = EAGAIN;
    if (keeper->companion.pid > 0) {
        session_file_name(session, keeper->companion.pid);
        if (session->settings.patches != SESSION_PATCHES_NONE)
            session->header->patches = SESSION_PATCHES_ASKED;
    }
    /* The program may fill its memory in a moment. */
    for (int i = 0; i < BEGINNING_MS && box.kept.folder != NULL &&
                    keeper->companion.pid > 0 && !heard->has_begun;
         i++)
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

const struct blackbox_account *keeper_copies(const struct keeper *keeper)
{
    return box.kept.folder == NULL ? NULL : &keeper->word->copies;
}

bool keeper_ask(const struct keeper *keeper)
{
    if (box.kept.folder == NULL || keeper->word == NULL)
        return false;
    keeper->word->asked++;
    return true;
}

pid_t *keeper_program(const struct keeper *keeper)
{
    return keeper->word == NULL ? NULL : &keeper->word->program;
}

void keeper_end(struct keeper *keeper, bool is_needed)
{
    if (keeper->word == NULL)
        return;
    keeper->word->is_over = !is_needed;
    if (is_needed)
        close(keeper->companion.lifeline);
    else
        companion_end(&keeper->companion);
}
