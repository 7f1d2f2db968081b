/* SPDX-License-Identifier: Apache-2.0 */
/* programs.c - see serve_parts.h */
#include "tool/commands/serve/serve_parts.h"

#include <stdatomic.h>

#include "tool/model/sources/sources.h"

enum { SHARE = 10 }; /* 1/SHARE of the time may go to searches */

/* Recursive: readers take it again. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static struct program *first;
int64_t programs_cut = -1;

void programs_lock(void)
{
    pthread_mutex_lock(&lock);
}

void programs_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void program_release(struct program *program)
{
    if (atomic_fetch_sub(&program->uses, 1) != 1)
        return;
    programs_lock();
    symbols_destroy(program->symbols);
    programs_unlock();
    free(program);
}

static void see(const struct live_program *found, void *context)
{
    char path[PATH_MAX] = "";
    struct process_state state;
    struct program **end = &first;

    (void)context;
    if (process_state_read(found->ledger.pid, &state) < 0)
        return;
    while (*end != NULL && ((*end)->pid != found->ledger.pid ||
                            (*end)->start_ticks != state.start_ticks))
        end = &(*end)->next;
    if (*end == NULL) {
        *end = memory_zeroed(1, sizeof **end);
        (*end)->pid = found->ledger.pid;
        (*end)->start_ticks = state.start_ticks;
        (*end)->uses = 1;
        snprintf((*end)->number, sizeof(*end)->number, "%ld",
                 (long)found->ledger.pid);
    }
    /* exec may have changed the name */
    process_program_read(found->ledger.pid, path);
    snprintf((*end)->name, sizeof(*end)->name, "%s", base_name(path));
    (*end)->offset = found->ledger.offset;
    (*end)->user = found->user;
    (*end)->is_here = true;
}

struct program *programs_find(void)
{
    static uint64_t due;
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    uint64_t used = clock_ns(CLOCK_THREAD_CPUTIME_ID);

    if (now < due)
        return first;
    for (struct program *program = first; program != NULL;
         program = program->next)
        program->is_here = false;
    programs_cut = live_ledger_find_all(see, NULL);
    used = (clock_ns(CLOCK_THREAD_CPUTIME_ID) - used) * SHARE;
    due = now + (used > 1000000000 ? used : 1000000000);
    for (struct program **at = &first; *at != NULL;) {
        struct program *gone = *at;

        if (gone->is_here) {
            at = &gone->next;
            continue;
        }
        *at = gone->next;
        if (gone->page != NULL)
            served_page_close(gone->page);
        program_release(gone);
    }
    return first;
}

struct program *programs_take(pid_t pid)
{
    struct program *program;

    programs_lock();
    program = programs_find();
    while (program != NULL && program->pid != pid &&
           !(pid == 0 && program == first && program->next == NULL))
        program = program->next;
    if (program != NULL)
        program->uses++;
    programs_unlock();
    return program;
}

bool program_read(const struct program *program, struct source *source)
{
    struct session_failure failure;
    struct ledger_snapshot snapshot;
    struct session_header session;
    struct live_ledger ledger = { .offset = program->offset,
                                  .pid = program->pid };
    bool is_read;

    *source = (struct source){ 0 };
    programs_lock();
    ledger.fd = session_search(program->pid, &session, &failure);
    is_read = ledger.fd >= 0 && live_ledger_is_alive(&ledger) &&
              live_ledger_is_held(&ledger) &&
              live_ledger_read(&ledger, &snapshot, &failure) == 0;
    live_ledger_close(&ledger);
    programs_unlock();
    if (is_read)
        source_open_bytes(source, snapshot.bytes, snapshot.size);
    return is_read;
}

struct profile *program_profile(const struct program *program,
                                const struct source *earlier)
{
    struct profile *profile = profile_create();
    struct source_failure failure;
    struct source now;
    bool is_sound =
        program_read(program, &now) &&
        load_ledger(now.bytes, now.size, profile, &failure) == 0 &&
        (earlier == NULL || load_ledger_earlier(earlier->bytes, earlier->size,
                                                profile, &failure) == 0);

    source_close(&now);
    if (!is_sound) {
        profile_destroy(profile);
        return NULL;
    }
    profile_finish(profile);
    return profile;
}

static enum web_state write_page(void *context, FILE *out)
{
    struct program *program = context;
    enum web_state state;

    programs_lock();
    state = live_page_write(&program->source, out);
    programs_unlock();
    return state;
}

static void end_page(void *program)
{
    program_release(program);
}

struct served_page *program_page(struct program *program)
{
    const struct web_content content = { .title = program->number,
                                         .write = write_page,
                                         .end = end_page,
                                         .context = program,
                                         .is_live = true };

    struct served_page *page;

    programs_lock();
    if (program->page == NULL) {
        program->source.source = program->number;
        program->source.of.choice.search.kept = &program->symbols;
        program->uses++;
        program->page = served_page_open(&content);
        if (program->page == NULL)
            program->uses--;
    }
    page = program->page == NULL ? NULL : served_page_share(program->page);
    programs_unlock();
    return page;
}
