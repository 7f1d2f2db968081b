/* SPDX-License-Identifier: Apache-2.0 */
/* process.c - the program that was recorded, and how it ended */
#include <inttypes.h>
#include <signal.h>

#include "tool/facets/facet.h"

/* room of a command line before its file is moved forward */
enum { COMMAND_COLUMNS = 70 };

const char *facet_profiling(const struct profile_image *image)
{
    static const char *const settings[] = {
        [LEDGER_CONTROL_OFF] = "0",
        [LEDGER_CONTROL_ON] = "1",
        [LEDGER_CONTROL_NEVER] = "never",
    };

    return settings[image->control];
}

/* "killed by SIGSEGV". */
static const char *how_it_ended(char out[DURATION_SIZE],
                                const struct profile_image *image)
{
    const char *signal = NULL;

    if (!image->has_ended)
        return "still running";
    if (image->end == LEDGER_END_KILLED && image->end_code < NSIG)
        signal = sigabbrev_np((int)image->end_code);
    if (image->end == LEDGER_END_EXITED)
        snprintf(out, DURATION_SIZE, "exited with status %" PRIu32,
                 image->end_code);
    else if (signal != NULL)
        snprintf(out, DURATION_SIZE, "killed by SIG%s", signal);
    else if (image->end == LEDGER_END_KILLED)
        snprintf(out, DURATION_SIZE, "killed by signal %" PRIu32,
                 image->end_code);
    else
        return (image->flags & LEDGER_FLAG_ATTACHED) != 0 ? "recording ended"
                                                          : "ended";
    return out;
}

/* Return the first word that tells commands apart, no option but with a dot or
   slash, or NULL. */
static const char *find_file(const char *words, size_t *length)
{
    while ((words = strchr(words, ' ')) != NULL) {
        words += strspn(words, " ");
        *length = strcspn(words, " ");
        if (words[0] != '-' && strcspn(words, "./") < *length)
            return words;
    }
    return NULL;
}

char *facet_command(const char *command_line, size_t room)
{
    int program = (int)strcspn(command_line, " ");
    size_t length = 0;
    const char *file = find_file(command_line, &length);

    if (file == NULL || (size_t)(file - command_line) + length <= room)
        return memory_text(command_line);
    return memory_print("%.*s ... %.*s%s", program, command_line, (int)length,
                        file, command_line + program);
}

static void screen_process(const struct facet_subject *subject, FILE *out)
{
    const struct profile *profile = subject->profile;
    const struct profile_image *image = profile->images;
    const struct ledger_sampling *sampling = &profile->sampling;
    char time[DURATION_SIZE], end[DURATION_SIZE], *command;

    if (profile->image_count == 0)
        return;
    command = facet_command(image->command_line[0] != '\0' ? image->command_line
                                                           : image->program,
                            COMMAND_COLUMNS);
    fprintf(out, "%s\n", command);
    free(command);
    fprintf(out, "process %" PRIu32 "%s, %s after %s%s\n", image->pid,
            profile->image_count > 1 ? " and others" : "",
            how_it_ended(end, image),
            facet_duration(time, profile->duration_ns),
            profile->sample_interval > 1 ? "; all figures are estimates" : "");
    if (sampling->budget != 0 && sampling->capacity_ns != 0)
        fprintf(out, "  recording took %.2f %% of CPU time, of %g %% allowed\n",
                (double)sampling->cost_ns * 100 / (double)sampling->capacity_ns,
                sampling->budget / 1e4);
}

/* Write the first process image; "images" is their number with --all. */
static void write_process(const struct facet_subject *subject,
                          struct json *json)
{
    const struct profile *profile = subject->profile;
    const struct profile_image *image = profile->images;

    if (profile->image_count == 0) {
        json_null(json, "process");
        return;
    }
    json_begin(json, "process", JSON_OBJECT);
    json_unsigned(json, "pid", image->pid);
    json_unsigned(json, "parent_pid", image->parent_pid);
    json_string(json, "program", image->program);
    json_string(json, "command_line", image->command_line);
    json_unsigned(json, "start_ns", image->start_ns);
    json_number_or_null(json, "end_ns", image->has_ended, image->end_ns);
    if (profile->since_ns != 0)
        json_unsigned(json, "since_ns", profile->since_ns);
    json_bool(json, "running", !image->has_ended);
    if (image->has_ended && image->end == LEDGER_END_EXITED)
        json_unsigned(json, "exit_status", image->end_code);
    if (image->has_ended && image->end == LEDGER_END_KILLED)
        json_unsigned(json, "signal", image->end_code);
    json_string(json, "mem_profiling", facet_profiling(image));
    json_bool(json, "forked", (image->flags & LEDGER_FLAG_FORKED) != 0);
    json_unsigned(json, "images", profile->image_count);
    json_end(json);
}

const struct facet process_facet = {
    .screen = screen_process,
    .write = write_process,
};
