/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch.c - see fleet.h
 *
 * This file is long because all tables are filled from the parts of one stack.
 *
 * Rows of a snapshot have different keys: the server keeps one row of each key.
 * Names are looked up once for each build: the store tells which it has.
 */
#include "tool/fleet/fleet.h"

#include <inttypes.h>

#include "tool/model/names/names.h"

enum {
    FLUSH_BYTES = 1 << 24,
    NS = 1000000000,
    DAY_SECONDS = 86400,
    FLUSH_DAYS = 100, /* limit of current servers at once */
    PATIENCE = 35     /* seconds: pauses from 0.5 to 16 */
};

/* Tables, in the order of sending. */
enum table { NAMES, STACKS, SAMPLES, SNAPSHOTS, TABLES };

static const char *const table_names[TABLES] = { "tally_names", "tally_stacks",
                                                 "tally_samples",
                                                 "tally_snapshots" };

struct rows {
    FILE *out;
    char *bytes;
    size_t size;
};

/* Key of a row that the store has: stack and day, or build and address; or a
   process and its fork tree. */
struct known {
    uint64_t a, b;
};

struct known_set {
    struct known *items;
    size_t count;
    struct index_table table;
};

/* Row of a snapshot; the key ends with `labels`. */
struct sample {
    uint64_t stack;
    uint64_t kind;
    uint64_t labels; /* hash of the labels */
    uint32_t at;     /* index of the stack in the profile */
    struct profile_amounts amounts;
};

struct batch {
    struct clickhouse *server;
    struct symbols_search search;
    struct symbols *symbols;
    struct rows rows[TABLES];
    struct known_set stacks, names;
    struct known_set days; /* days of rows not sent yet */
    struct known_set trees;
    struct text_pool builds;
    struct batch_counts added, sent;
};

/* State of adding one snapshot. */
struct adding {
    struct batch *batch;
    const struct snapshot_owner *owner;
    const struct profile *profile;
    uint64_t ns, time; /* time of the snapshot in ns, and in s */
    uint32_t *builds;  /* by module: number in batch->builds */
    struct symbols *symbols;
    struct sample *samples;
    size_t sample_count;
    struct index_table table;
};

static uint64_t mix(uint64_t hash, uint64_t more)
{
    hash ^= more;
    hash = (hash ^ hash >> 33) * UINT64_C(0xff51afd7ed558ccd);
    hash = (hash ^ hash >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return hash ^ hash >> 33;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = mix(hash, (unsigned char)*text);
    return mix(hash, UINT64_C(1) << 32);
}

/* Add a key; return true if it is new. */
static bool learn(struct known_set *set, uint64_t a, uint64_t b)
{
    const struct known item = { a, b };
    size_t count = set->count;

    return INDEX_ADD(&set->table, sizeof item, set->items, set->count, &item) ==
           count;
}

static void rows_open(struct rows *rows)
{
    rows->out = memory_or_exit(open_memstream(&rows->bytes, &rows->size));
}

struct batch *batch_open(struct clickhouse *server,
                         const struct symbols_search *search)
{
    struct batch *batch = memory_zeroed(1, sizeof *batch);

    batch->server = server;
    server->patience = PATIENCE;
    batch->search = *search;
    batch->search.kept = &batch->symbols;
    text_pool_add(&batch->builds, ""); /* build 0: no module */
    for (size_t i = 0; i < TABLES; i++)
        rows_open(&batch->rows[i]);
    return batch;
}

static void known_free(struct known_set *set)
{
    free(set->items);
    index_table_free(&set->table);
}

struct batch_counts batch_close(struct batch *batch)
{
    struct batch_counts sent = batch->sent;

    for (size_t i = 0; i < TABLES; i++) {
        fclose(batch->rows[i].out);
        free(batch->rows[i].bytes);
    }
    symbols_destroy(batch->symbols);
    known_free(&batch->stacks);
    known_free(&batch->names);
    known_free(&batch->days);
    known_free(&batch->trees);
    text_pool_free(&batch->builds);
    free(batch);
    return sent;
}

int batch_flush(struct batch *batch)
{
    for (size_t i = 0; i < TABLES; i++) {
        struct rows *rows = &batch->rows[i];

        if (fflush(rows->out) != 0)
            exit_out_of_memory();
        if (clickhouse_insert(batch->server, table_names[i], rows->bytes,
                              rows->size) < 0)
            return -1;
        fclose(rows->out);
        free(rows->bytes);
        rows_open(rows);
    }
    known_free(&batch->days);
    batch->days = (struct known_set){ 0 };
    batch->sent = batch->added;
    return 0;
}

struct learning {
    struct batch *batch;
    uint32_t build;
};

static bool take_known(void *context, char *row)
{
    const struct learning *learning = context;
    uint64_t address;

    if (!tabbed_number(&row, &address))
        return false;
    learn(&learning->batch->names, learning->build, address);
    return true;
}

/* Return a module's build-id, or else its path and version, for free(): a path
   is a different file in each release. */
static char *build_name(const struct adding *adding,
                        const struct profile_module *module)
{
    char id[2 * ELF_BUILD_ID_CAPACITY + 1] = "";
    const char *version = adding->owner->version;

    for (uint32_t i = 0; i < module->build_id_size; i++)
        sprintf(id + (size_t)2 * i, "%02x", module->build_id[i]);
    if (*id != '\0' || *version == '\0' || *module->path == '\0')
        return memory_text(*id == '\0' ? module->path : id);
    return memory_print("%s@%s", module->path, version);
}

/* Find the builds of all modules, and the store's addresses of new ones. */
static int find_builds(struct adding *adding)
{
    struct batch *batch = adding->batch;

    adding->builds = memory_zeroed(adding->profile->module_count + 1,
                                   sizeof *adding->builds);
    for (size_t i = 0; i < adding->profile->module_count; i++) {
        const struct profile_module *module = &adding->profile->modules[i];
        char *build = build_name(adding, module), *sql;
        struct learning learning = { .batch = batch };
        size_t count = batch->builds.count;
        FILE *out;
        int status;

        adding->builds[i] = learning.build =
            text_pool_add(&batch->builds, build);
        free(build);
        if (learning.build != count)
            continue;
        out = sql_open(&sql);
        fprintf(out, "SELECT address FROM tally_names WHERE named > 0 AND "
                     "build = ");
        clickhouse_quote(out, batch->builds.texts[learning.build]);
        sql_close(out);
        status = clickhouse_ask(batch->server, sql, take_known, &learning);
        free(sql);
        if (status < 0)
            return -1;
    }
    return 0;
}

static const char *build_of(const struct adding *adding,
                            const struct profile_place *place)
{
    return adding->batch->builds.texts[place->module == PROFILE_NO_MODULE
                                           ? 0
                                           : adding->builds[place->module]];
}

/* Iterator over a stack's code addresses, innermost first, and its label
   pairs. */
struct walk {
    const struct profile *profile;
    uint32_t place, frame;
    bool has_place, is_cut;
};

static struct walk walk_of(const struct adding *adding, uint32_t at)
{
    const struct profile_stack *stack = &adding->profile->stacks.stacks[at];

    return (struct walk){ .profile = adding->profile,
                          .place = stack->place,
                          .frame = stack->frame,
                          .has_place = stack->place != STACK_NO_PLACE &&
                                       stacks_kind(&adding->profile->stacks,
                                                   stack->place) == 0 };
}

/* Step to the next place or pair; return false behind the last. A truncated
   stack ends with a place without module and address. */
static bool walk_next(struct walk *walk, const struct profile_place **place,
                      const char **pair)
{
    static const struct profile_place cut = { 0, PROFILE_NO_MODULE };
    const struct stacks *stacks = &walk->profile->stacks;

    if (!walk->has_place) {
        if (!stacks_is_frame(walk->frame)) {
            *place = &cut;
            *pair = NULL;
            if (walk->is_cut || walk->frame != STACK_CUT)
                return false;
            return walk->is_cut = true;
        }
        walk->place = stacks->frames[walk->frame].place;
        walk->frame = stacks->frames[walk->frame].parent;
    }
    walk->has_place = false;
    *place = &stacks->places[walk->place];
    *pair = profile_pair(walk->profile, walk->place);
    return true;
}

static void find_samples(struct adding *adding)
{
    const struct profile *profile = adding->profile;

    for (uint32_t i = 0; i < profile->stacks.stack_count; i++) {
        const struct profile_stack *stack = &profile->stacks.stacks[i];
        struct sample sample = { .kind = profile->callers[stack->site].kind,
                                 .at = i,
                                 .amounts = stack->amounts };
        struct walk walk = walk_of(adding, i);
        const struct profile_place *place;
        size_t count = adding->sample_count;
        const char *pair;
        uint32_t number;

        while (walk_next(&walk, &place, &pair)) {
            if (pair != NULL)
                sample.labels = mix_text(sample.labels, pair);
            else
                sample.stack =
                    mix(mix_text(sample.stack, build_of(adding, place)),
                        place->address);
        }
        number = INDEX_ADD(&adding->table, INDEX_KEY(struct sample, labels),
                           adding->samples, adding->sample_count, &sample);
        if (number != count)
            amounts_add_settled(&adding->samples[number].amounts,
                                &sample.amounts);
    }
}

/* Write an array with each place printed by a function. */
static void write_places(const struct adding *adding, FILE *out, uint32_t at,
                         bool is_build)
{
    struct walk walk = walk_of(adding, at);
    const struct profile_place *place;
    const char *pair, *comma = "";

    putc('[', out);
    while (walk_next(&walk, &place, &pair)) {
        if (pair != NULL)
            continue;
        fputs(comma, out);
        if (is_build)
            clickhouse_quote(out, build_of(adding, place));
        else
            fprintf(out, "%" PRIu64, place->address);
        comma = ",";
    }
    putc(']', out);
}

static void write_chain(FILE *out, const struct symbol *chain, size_t count)
{
    for (unsigned column = 0; column < 3; column++) {
        fputs("\t[", out);
        for (size_t i = 0; i < count; i++) {
            const char *text = column == 0 ? chain[i].function : chain[i].file;

            fputs(i == 0 ? "" : ",", out);
            if (column == 2)
                fprintf(out, "%u", chain[i].line);
            else
                clickhouse_quote(out, text == NULL ? "" : text);
        }
        putc(']', out);
    }
}

static void write_names(struct adding *adding, uint32_t at)
{
    FILE *out = adding->batch->rows[NAMES].out;
    struct walk walk = walk_of(adding, at);
    const struct profile_place *place;
    const char *pair;

    while (walk_next(&walk, &place, &pair)) {
        struct symbol chain[SYMBOLS_CHAIN_LIMIT];
        size_t count;

        if (pair != NULL || place->module == PROFILE_NO_MODULE ||
            !learn(&adding->batch->names, adding->builds[place->module],
                   place->address))
            continue;
        count =
            site_names_chain(adding->symbols, adding->profile, place, chain);
        tabbed_write(out, build_of(adding, place));
        fprintf(out, "\t%" PRIu64 "\t", place->address);
        tabbed_write(out, adding->profile->modules[place->module].path);
        write_chain(out, chain, count);
        fprintf(out, "\t%zu\n", count);
    }
}

/* Write the keys or values of the stack's label pairs, innermost first, then
   the owner's. */
static void write_pairs(const struct adding *adding, FILE *out, uint32_t at,
                        bool is_value)
{
    const struct snapshot_owner *owner = adding->owner;
    struct walk walk = { .profile = adding->profile };
    const struct profile_place *place;
    const char *pair, *comma = "";
    size_t more = 0;

    if (at != UINT32_MAX)
        walk = walk_of(adding, at);
    putc('[', out);
    for (;;) {
        size_t length;
        char *part;

        if (!walk_next(&walk, &place, &pair)) {
            if (more == owner->label_count)
                break;
            pair = owner->labels[more++];
        }
        if (pair == NULL)
            continue;
        length = strcspn(pair, "=") + 1; /* a damaged pair may lack '=' */
        part = memory_text(!is_value                 ? pair
                           : pair[length - 1] == '=' ? pair + length
                                                     : "");
        if (!is_value)
            part[strcspn(part, "=")] = '\0';
        fputs(comma, out);
        clickhouse_quote(out, part);
        free(part);
        comma = ",";
    }
    putc(']', out);
}

/* Write the columns common to samples and snapshots. */
static void write_owner(const struct adding *adding, FILE *out, uint32_t at,
                        uint64_t snapshot)
{
    const char *const texts[] = { adding->owner->service,
                                  adding->owner->version, adding->owner->host };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tabbed_write(out, texts[i]);
        putc('\t', out);
    }
    write_pairs(adding, out, at, false);
    putc('\t', out);
    write_pairs(adding, out, at, true);
    fprintf(out, "\t%" PRIu64 "\t%" PRIu64 "\t", adding->time, snapshot);
}

static void write_sample(struct adding *adding, const struct sample *sample,
                         uint64_t snapshot)
{
    const struct profile_amounts *amounts = &sample->amounts;
    const struct amounts_error *error = &amounts->error;
    const float variances[] = {
        error->live_bytes.variance,      error->live_blocks.variance,
        error->total_bytes.variance,     error->total_blocks.variance,
        error->inherited_bytes.variance, error->inherited_blocks.variance,
        error->live_bytes.seen,          error->live_blocks.seen,
        error->total_bytes.seen,
    };
    const struct profile *profile = adding->profile;
    bool is_estimate =
        profile->callers[profile->stacks.stacks[sample->at].site].is_estimate;
    struct batch *batch = adding->batch;
    FILE *out = batch->rows[STACKS].out;

    if (learn(&batch->stacks, sample->stack, adding->time / DAY_SECONDS)) {
        fprintf(out, "%" PRIu64 "\t%" PRIu64 "\t", sample->stack, adding->time);
        write_places(adding, out, sample->at, true);
        putc('\t', out);
        write_places(adding, out, sample->at, false);
        putc('\n', out);
        write_names(adding, sample->at);
    }
    out = batch->rows[SAMPLES].out;
    write_owner(adding, out, sample->at, snapshot);
    fprintf(out,
            "%s\t%" PRIu64 "\t%" PRId64 "\t%" PRId64 "\t%" PRIu64 "\t%" PRIu64
            "\t%" PRIu64 "\t%" PRIu64 "\t[",
            profile_kind_names[sample->kind], sample->stack,
            amounts->live_blocks, amounts->live_bytes, amounts->alloc_blocks,
            amounts->alloc_bytes, amounts->free_blocks, amounts->free_bytes);
    for (size_t i = 0; i < sizeof variances / sizeof *variances && is_estimate;
         i++)
        fprintf(out, "%s%.9g", i == 0 ? "" : ",", (double)variances[i]);
    fputs("]\n", out);
    batch->added.samples++;
}

/* Return a number that identifies the process image. */
static uint64_t image_number(const struct adding *adding)
{
    const struct profile_image *image = adding->profile->images;
    uint64_t hash = mix_text(0, adding->owner->host);

    hash = mix_text(hash, image->program);
    hash = mix(hash, image->pid);
    return mix(mix(hash, image->start_ns), image->start_ticks);
}

/* Return a number that identifies the processes that may have samples in
   common: a process without inherited blocks, and all its descendants. */
static uint64_t tree_number(struct adding *adding)
{
    const struct profile_image *image = adding->profile->images;
    struct known_set *trees = &adding->batch->trees;
    uint64_t host = mix_text(0, adding->owner->host);
    struct known found = { mix(host, image->pid), mix(host, image->pid) };
    const size_t key = INDEX_KEY(struct known, a);
    uint32_t number;

    if (profile_has_inherited(adding->profile)) {
        uint64_t parent = mix(host, image->parent_pid);

        number = index_table_find(&trees->table, key, trees->items,
                                  sizeof found, &(struct known){ parent, 0 });
        found.b = number < trees->count ? trees->items[number].b : parent;
    }
    number = INDEX_ADD(&trees->table, key, trees->items, trees->count, &found);
    trees->items[number].b = found.b;
    return found.b;
}

static uint64_t snapshot_number(const struct adding *adding, uint64_t image)
{
    const struct snapshot_owner *owner = adding->owner;
    uint64_t hash = mix(mix(0, image), adding->ns), sum = 0;

    hash = mix_text(mix_text(hash, owner->service), owner->version);
    for (size_t i = 0; i < owner->label_count; i++)
        hash = mix_text(hash, owner->labels[i]);
    for (size_t i = 0; i < adding->sample_count; i++) {
        const struct sample *sample = &adding->samples[i];
        uint64_t one = mix(mix(sample->stack, sample->kind), sample->labels);

        one = mix(one, (uint64_t)sample->amounts.live_blocks);
        one = mix(one, (uint64_t)sample->amounts.live_bytes);
        one = mix(one, sample->amounts.alloc_blocks);
        sum += mix(one, sample->amounts.alloc_bytes);
    }
    return mix(hash, sum);
}

int batch_add(struct batch *batch, const struct snapshot_owner *owner,
              const struct profile *profile, uint64_t ns)
{
    struct adding adding = { .batch = batch,
                             .owner = owner,
                             .profile = profile,
                             .ns = ns,
                             .time = ns / NS };
    FILE *out = batch->rows[SNAPSHOTS].out;
    uint64_t image = image_number(&adding), snapshot;
    int status = find_builds(&adding);

    if (status == 0) {
        adding.symbols = site_names_symbols(profile, &batch->search,
                                            DEMANGLE_WITHOUT_ARGUMENTS);
        find_samples(&adding);
        snapshot = snapshot_number(&adding, image);
        for (size_t i = 0; i < adding.sample_count; i++)
            write_sample(&adding, &adding.samples[i], snapshot);
        write_owner(&adding, out, UINT32_MAX, snapshot);
        fprintf(out, "%" PRIu64 "\t%" PRIu64 "\t", image, ns);
        tabbed_write(out, profile->images->program);
        fprintf(
            out, "\t%" PRIu32 "\t%zu\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
            profile->images->pid, adding.sample_count, profile->sample_interval,
            profile->peak_bytes, tree_number(&adding));
        batch->added.snapshots++;
    }
    free(adding.builds);
    free(adding.samples);
    index_table_free(&adding.table);
    learn(&batch->days, adding.time / DAY_SECONDS, 0);
    if (status == 0 && batch->days.count == FLUSH_DAYS)
        return batch_flush(batch);
    for (size_t i = 0; i < TABLES && status == 0; i++) {
        fflush(batch->rows[i].out);
        if (batch->rows[i].size >= FLUSH_BYTES)
            return batch_flush(batch);
    }
    return status;
}
