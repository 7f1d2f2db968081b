/* SPDX-License-Identifier: Apache-2.0 */
/* process_tree.c - see load.h */
#include "tool/commands/load/load.h"

#include <inttypes.h>

#include "tool/files/files.h"
#include "tool/model/sources/sources.h"

/* Copy up to the first NUL. */
static char *copy(const struct ledger_text_view *text)
{
    return memory_print("%.*s",
                        text->length < PATH_MAX ? (int)text->length : PATH_MAX,
                        (const char *)text->bytes);
}

/* Copy a command line, with spaces in place of NULs, without the program's
   folder. */
static char *copy_command(const struct ledger_text_view *text)
{
    OWNED char *program = copy(text);
    size_t folder = (size_t)(base_name(program) - program);
    size_t length = text->length < PATH_MAX ? text->length : PATH_MAX;
    char *words = memory_zeroed(1, length + 1);

    length -= length > 0 && text->bytes[length - 1] == '\0';
    for (size_t i = folder; i < length; i++)
        words[i - folder] = text->bytes[i] == '\0' ? ' ' : (char)text->bytes[i];
    return words;
}

static void take_notices(struct process_image *image,
                         struct ledger_reader *reader)
{
    struct ledger_cursor cursor = { 0 };
    struct ledger_notice_view view;

    while (ledger_reader_next_notice(reader, &cursor, &view) > 0)
        ARRAY_ADD(image->notices, image->notice_count,
                  (struct profile_notice){ .code = view.code,
                                           .times = view.times,
                                           .text = copy(&view.text),
                                           .is_of_other = true });
    image->unrecorded_forks =
        ledger_reader_count(reader, LEDGER_COUNT_unrecorded_forks);
}

static void take_ledger(struct process_image *image, struct source *source)
{
    const struct ledger_snapshot bytes = { .bytes = source->bytes,
                                           .size = source->size,
                                           .fd = -1 };
    struct ledger_totals totals;
    struct ledger_reader reader;

    if (ledger_reader_open(&reader, source->bytes, source->size) !=
            LEDGER_E_OK ||
        !ledger_totals_read(&bytes, 0, &totals))
        return;
    image->is_readable = true;
    image->is_running = reader.process.ended == 0;
    if (image->pid == 0) /* not in the file's name */
        image->pid = reader.process.pid;
    image->parent_pid = reader.process.parent_pid;
    image->program = copy(&reader.process.program);
    image->called = copy(&reader.process.command_line);
    image->command_line = copy_command(&reader.process.command_line);
    image->is_attached =
        (reader.process.flags & (LEDGER_FLAG_ATTACHED | LEDGER_FLAG_FORKED)) ==
        LEDGER_FLAG_ATTACHED;
    image->start_ns = reader.process.start_ns;
    image->end_ns = reader.process.end_ns;
    image->live = (int64_t)totals.sample.live_bytes;
    image->peak = ledger_reader_process_peak(&reader);
    if (image->live > (int64_t)image->peak) /* its peak was not measured */
        image->peak = totals.sample.live_bytes;
    image->total = totals.sample.alloc_bytes;
    take_notices(image, &reader);
}

static void read_image(struct process_image *image)
{
    struct source_failure failure;
    struct source source;

    errno = 0;
    if (source_open_file(&source, image->path, &failure) < 0) {
        if (errno == ENOMEM)
            exit_out_of_memory();
        return;
    }
    if (source.kind == SOURCE_LEDGER)
        take_ledger(image, &source);
    source_close(&source);
}

static int compare_starts(const void *left, const void *right)
{
    const struct process_image *a = *(struct process_image *const *)left;
    const struct process_image *b = *(struct process_image *const *)right;

    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a > b) - (a < b);
}

static int compare_peaks(const void *left, const void *right)
{
    const struct process_image *a = *(struct process_image *const *)left;
    const struct process_image *b = *(struct process_image *const *)right;

    if (a->peak != b->peak)
        return a->peak > b->peak ? -1 : 1;
    return compare_starts(left, right);
}

/* Link each image to the last one before it, of its process or its parent. */
static void link_images(struct process_tree *tree)
{
    struct process_image **order = memory_zeroed(tree->count, sizeof *order);
    struct process_image **latest =
        memory_zeroed(SESSION_PID_LIMIT, sizeof *latest);

    for (size_t i = 0; i < tree->count; i++)
        order[i] = &tree->images[i];
    ARRAY_SORT(order, tree->count, compare_starts);
    for (size_t i = 0; i < tree->count; i++) {
        struct process_image *image = order[i];
        uint32_t from = image->generation > 0 ? image->pid : image->parent_pid;

        image->parent = latest[from % SESSION_PID_LIMIT];
        if (image->parent != NULL)
            image->depth = image->parent->depth + 1;
        latest[image->pid % SESSION_PID_LIMIT] = image;
    }
    for (size_t i = tree->count; i-- > 0;) {
        struct process_image *parent = order[i]->parent;
        struct process_image **list =
            parent == NULL ? &tree->root : &parent->child;

        order[i]->next = *list;
        *list = order[i];
    }
    ARRAY_SORT(order, tree->count, compare_peaks);
    for (size_t i = 0; i < tree->count; i++)
        order[i]->place = i;
    free(latest);
    free(order);
}

/* Add a live process, unless it has ended. */
static int add_live(const struct live_ledger *ledger, void *context)
{
    struct process_tree *tree = context;
    struct process_image image = { .pid = (uint32_t)ledger->pid };
    struct ledger_snapshot snapshot;
    struct session_failure failure;
    struct source source;

    if (live_ledger_read(ledger, &snapshot, &failure) < 0)
        return 0;
    source_open_bytes(&source, snapshot.bytes, snapshot.size);
    take_ledger(&image, &source);
    source_close(&source);
    image.path = memory_print("%ld", (long)ledger->pid);
    ARRAY_ADD(tree->images, tree->count, image);
    return 0;
}

void process_tree_open_live(struct process_tree *tree,
                            const struct live_ledger *root, bool is_wanted)
{
    *tree = (struct process_tree){ 0 };
    if (live_ledger_each(root, add_live, tree) < 0)
        exit_out_of_memory();
    if (root->offset != 0 && (tree->count > 0 || is_wanted))
        add_live(root, tree);
    if (tree->count > 0)
        link_images(tree);
}

void process_tree_open(struct process_tree *tree, const char *path,
                       bool is_wanted)
{
    struct image_list others;

    *tree = (struct process_tree){ 0 };
    images_open(&others, path);
    if (others.file_count > 0 || is_wanted) {
        tree->count = others.file_count + 1;
        tree->images = memory_zeroed(tree->count, sizeof *tree->images);
        tree->images[0].path = memory_text(path);
    }
    for (size_t i = 0; i < others.file_count; i++) {
        tree->images[i + 1].path = memory_text(others.files[i].path);
        tree->images[i + 1].pid = others.files[i].pid;
        tree->images[i + 1].generation = others.files[i].generation;
    }
    images_close(&others);
    regular_file_only(true);
    for (size_t i = 0; i < tree->count; i++)
        read_image(&tree->images[i]);
    regular_file_only(false);
    if (tree->count > 0)
        link_images(tree);
}

struct process_image *process_tree_next(const struct process_image *image)
{
    if (image->child != NULL)
        return image->child;
    while (image->next == NULL && image->parent != NULL)
        image = image->parent;
    return image->next;
}

const char *process_number(char out[PROCESS_NUMBER_SIZE],
                           const struct process_image *image)
{
    snprintf(out, PROCESS_NUMBER_SIZE,
             image->generation == 0 ? "%" PRIu32 : "%" PRIu32 "-%" PRIu32,
             image->pid, image->generation);
    return out;
}

/* Compare a name, which may contain characters of a glob, with a glob. */
static bool is_called(const char *wish, const char *name)
{
    return strcmp(wish, name) == 0 || glob_matches(wish, name);
}

static bool is_meant(const struct process_image *image, const char *wish)
{
    char number[PROCESS_NUMBER_SIZE];

    if (!image->is_readable || wish == NULL)
        return image->is_readable;
    snprintf(number, sizeof number, "%" PRIu32 "-%" PRIu32, image->pid,
             image->generation);
    if (strcmp(number, wish) == 0)
        return true;
    *strchr(number, '-') = '\0';
    return strcmp(number, wish) == 0 ||
           is_called(wish, base_name(image->program)) ||
           is_called(wish, image->program) ||
           is_called(wish, base_name(image->called));
}

static bool is_better(const struct process_image *image,
                      const struct process_image *best, const char *wish)
{
    if (wish == NULL && image->is_attached != best->is_attached)
        return image->is_attached;
    return image->place < best->place;
}

const struct process_image *process_tree_choose(const struct process_tree *tree,
                                                const char *wish)
{
    const struct process_image *best = NULL;

    for (size_t i = 0; i < tree->count; i++)
        if (is_meant(&tree->images[i], wish) &&
            (best == NULL || is_better(&tree->images[i], best, wish)))
            best = &tree->images[i];
    return best;
}

void process_tree_complete(const struct process_tree *tree,
                           const struct process_image *chosen,
                           struct profile *profile)
{
    for (size_t i = 0; i < tree->count; i++) {
        const struct process_image *image = &tree->images[i];

        if (profile->image_count == 1 && image->pid == chosen->pid &&
            image->generation == chosen->generation + 1)
            profile->images->is_replaced = true;
        for (size_t n = 0; image != chosen && n < image->notice_count; n++)
            profile_add_notice(profile, &image->notices[n]);
        if (image != chosen)
            profile->counts[LEDGER_COUNT_unrecorded_forks] +=
                image->unrecorded_forks;
    }
}

void process_tree_close(struct process_tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        for (size_t n = 0; n < tree->images[i].notice_count; n++)
            free(tree->images[i].notices[n].text);
        free(tree->images[i].notices);
        free(tree->images[i].path);
        free(tree->images[i].program);
        free(tree->images[i].called);
        free(tree->images[i].command_line);
    }
    free(tree->images);
    *tree = (struct process_tree){ 0 };
}
