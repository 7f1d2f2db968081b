/* SPDX-License-Identifier: Apache-2.0 */
/* live_page.c - see load.h */
#include "tool/commands/load/load.h"

#include <malloc.h>
#include <sys/prctl.h>

#include "tool/web/page.h"

enum { MAPPED_BYTES = 1 << 16 }; /* larger blocks are mappings of their own */

static int huge_before; /* PR_GET_THP_DISABLE */

void live_page_take_little(void)
{
    mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
    mallopt(M_ARENA_MAX, 1); /* threads keep none of their own */
    huge_before = prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0);
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

void live_page_take_as_before(void)
{
    prctl(PR_SET_THP_DISABLE, huge_before == 1, 0, 0, 0);
}

static void write_profile(struct live_page *page, FILE *out,
                          const struct source_load *load)
{
    struct profile *profile = load->profile;
    struct site_names *names = site_names_create(
        profile, &page->of.choice.search, DEMANGLE_WITHOUT_ARGUMENTS);
    OWNED struct page_process *processes = NULL;
    struct page_subject subject = { .title = page->source,
                                    .profile = profile,
                                    .names = names,
                                    .has_stacks = profile->has_stacks,
                                    .has_sources = page->has_sources };

    profile_begin_stacks(profile);
    subject.frames = blame_all(&fold_shipped, profile, names);
    symbols_rest(*page->of.choice.search.kept);
    subject.processes = processes =
        source_load_processes(load, &subject.process_count);
    page_data_write(out, &subject);
}

/* Return the state of the process. After exec it has a ledger again soon, if
   the new program is recorded. */
static enum web_state look(struct live_page *page)
{
    const char *pid = page->shown[0] != '\0' ? page->shown : page->source;
    struct session_failure failure;
    struct live_ledger ledger;

    if (live_ledger_open((pid_t)strtol(pid, NULL, 10), &ledger, &failure) < 0) {
        tell_line("%s: the program has ended; its page stays until Ctrl-C; see "
                  "the file of its tally record",
                  page->source);
        return WEB_ENDED;
    }
    page->missed = live_ledger_is_held(&ledger) ? 0 : page->missed + 1;
    live_ledger_close(&ledger);
    if (page->missed == 2)
        tell_line("%s: it runs another program, which is not recorded; the "
                  "page stays as it is",
                  page->source);
    return page->missed < 2 ? WEB_GOES_ON : WEB_AWAY;
}

enum web_state live_page_write(void *context, FILE *out)
{
    struct live_page *page = context;
    struct source_load load = source_load_of(page->source, &page->of);
    enum web_state state = page->is_shown ? look(page) : WEB_GOES_ON;
    int status;

    if (page->shown[0] != '\0') /* even if another process has a higher peak
                                   now */
        load.process = page->shown;
    if (state != WEB_GOES_ON || page->missed != 0)
        return state;
    if (page->of.kinds == 0)
        load.kinds = PROFILE_ALL;
    status = source_load_open(&load);
    if (status == COMMAND_DONE && load.chosen != NULL)
        process_number(page->shown, load.chosen);
    if (status == COMMAND_DONE)
        status = source_load_sum(&load);
    if (status == COMMAND_DONE && load.is_trace &&
        !trace_sum_has_calls(&load.sum)) {
        const struct page_subject subject = { .title = page->source,
                                              .regions = &load.sum.regions };

        page_data_write(out, &subject);
    } else if (status == COMMAND_DONE) {
        status = source_load_profile(&load);
        if (status == COMMAND_DONE)
            write_profile(page, out, &load);
    }
    source_load_close(&load);
    page->is_shown = status == COMMAND_DONE;
    return status == COMMAND_DONE ? WEB_GOES_ON : WEB_ENDED;
}
