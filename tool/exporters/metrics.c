/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics.c - see exporter.h
 *
 * Source: https://prometheus.io/docs/specs/om/open_metrics_spec/. Counters of
 * sites have no series for the rest: it would fall when a site joins the
 * largest, and counters must not fall.
 */
#include "tool/exporters/exporter.h"

#include <inttypes.h>
#include <math.h>

enum { FILE_SITES = 20 };

static const struct {
    const char *name, *behind, *type, *unit, *help;
} families[] = {
#define FAMILY(name, behind, type, unit, help) \
    { "tally_" #name, behind, #type, #unit, help },
    METRICS_LIST(FAMILY)
#undef FAMILY
};

void metrics_add(struct metrics *metrics, enum metrics_family family,
                 const char *labels, double value)
{
    ARRAY_ADD(metrics->samples, metrics->count,
              (struct metrics_sample){ family, memory_text(labels), value });
}

/* Append a label whose value is any text to other labels. */
static char *labels_of(const char *others, const char *name, const char *text)
{
    OWNED char *safe = memory_or_exit(escape_copy(ESCAPE_LABEL, text));
    char *labels = memory_print("%s%s=\"%s\"", others, name, safe);

    return labels;
}

static void add(struct metrics *metrics, enum metrics_family family,
                const char *others, const char *name, const char *text,
                double value)
{
    OWNED char *labels = labels_of(others, name, text);

    metrics_add(metrics, family, labels, value);
}

static void take_build(struct metrics *metrics, const struct profile *profile,
                       const char *program)
{
    char build_id[2 * ELF_BUILD_ID_CAPACITY + 1] = "";

    for (size_t i = 0; i < profile->module_count; i++) {
        const struct profile_module *module = &profile->modules[i];

        for (uint32_t at = 0;
             module->is_executable && at < module->build_id_size; at++)
            snprintf(build_id + 2 * at, 3, "%02x", module->build_id[at]);
    }
    add(metrics, METRICS_program, program,
        profile->sample_interval > 1 ? ",accounts=\"estimates\",build_id"
                                     : ",accounts=\"exact\",build_id",
        build_id, 1);
    if (profile->sampling.budget != 0) {
        metrics_add(metrics, METRICS_sampling_cpu_seconds, program,
                    (double)profile->sampling.cost_ns / 1e9);
        metrics_add(metrics, METRICS_sampling_capacity_seconds, program,
                    (double)profile->sampling.capacity_ns / 1e9);
    }
    if (profile->image_count != 0)
        metrics_add(metrics, METRICS_program_start_time_seconds, program,
                    (double)(profile->images[0].start_ns / 1000000) / 1e3);
}

static void take_totals(struct metrics *metrics, const struct profile *profile,
                        const char *program)
{
    const struct ledger_resident *resident = &profile->resident.latest;
    const struct interval interval =
        interval_of_measure(profile, &profile->heap, MEASURE_LIVE_BYTES);
#define KIND(family, word, value)                              \
    {                                                          \
        METRICS_##family, ",kind", word, (double)(value), true \
    }
#define KINDS(family, member)                   \
    KIND(family, "heap", profile->heap.member), \
        KIND(family, "maps", profile->maps.member)
#define PART(part)                                                    \
    { METRICS_resident_bytes, ",part", #part, (double)resident->part, \
      profile->resident.is_known },
#define LOSS(name, sentence)          \
    { METRICS_losses, ",what", #name, \
      (double)profile->counts[LEDGER_COUNT_##name], true },
    const struct {
        enum metrics_family family;
        const char *label, *word;
        double value;
        bool is_known;
    } figures[] = { KINDS(live_bytes, live_bytes),
                    KINDS(live_blocks, live_blocks),
                    KIND(live_uncertainty_bytes, "heap",
                         profile->sample_interval > 1
                             ? rint((interval.high - interval.low) / 2)
                             : 0),
                    { METRICS_peak_bytes, ",kind", "heap",
                      (double)profile->peak_bytes, profile->peak_bytes != 0 },
                    KINDS(allocated_bytes, alloc_bytes),
                    KINDS(allocated_blocks, alloc_blocks),
                    KINDS(freed_bytes, free_bytes),
                    KINDS(freed_blocks, free_blocks),
                    LEDGER_RESIDENT_PARTS(PART) LEDGER_COUNT_LIST(LOSS) };

    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        if (figures[i].is_known &&
            !(profile->lacks_totals &&
              strcmp(families[figures[i].family].type, "counter") == 0))
            add(metrics, figures[i].family, program, figures[i].label,
                figures[i].word, figures[i].value);
    }
}

/* Sum of the sites with one name. */
struct site {
    char *labels;
    uint32_t kind;
    struct profile_amounts amounts;
};

static int by_labels(const void *left, const void *right)
{
    return strcmp(((const struct site *)left)->labels,
                  ((const struct site *)right)->labels);
}

static int by_bytes(const void *left, const void *right)
{
    int64_t a = ((const struct site *)left)->amounts.live_bytes;
    int64_t b = ((const struct site *)right)->amounts.live_bytes;

    return a != b ? (a < b) - (a > b) : by_labels(left, right);
}

static struct site name_site(const struct profile_site *site,
                             const struct site_name *name, const char *program)
{
    char *kind =
        memory_print("%s,kind=\"%s\"", program, profile_kind_names[site->kind]);
    OWNED char *module = labels_of(
        kind, ",module", name->module == NULL ? "" : base_name(name->module));
    char *labels = labels_of(module, ",site",
                             name->function != NULL ? name->function
                                                    : ADDRESS(site->place));

    free(kind);
    return (struct site){ labels, site->kind, site->amounts };
}

/* Join sites with equal names; return the number left. */
static size_t join_sites(struct site *sites, size_t count)
{
    size_t joined = 0;

    qsort(sites, count, sizeof *sites, by_labels);
    for (size_t i = 0; i < count; i++) {
        if (joined == 0 || by_labels(&sites[joined - 1], &sites[i]) != 0) {
            sites[joined++] = sites[i];
            continue;
        }
        amounts_add_settled(&sites[joined - 1].amounts, &sites[i].amounts);
        free(sites[i].labels);
    }
    return joined;
}

static void add_site(struct metrics *metrics, const char *labels,
                     const struct profile_amounts *amounts, bool has_totals)
{
    metrics_add(metrics, METRICS_site_live_bytes, labels,
                (double)amounts->live_bytes);
    metrics_add(metrics, METRICS_site_live_blocks, labels,
                (double)amounts->live_blocks);
    if (!has_totals)
        return;
    metrics_add(metrics, METRICS_site_allocated_bytes, labels,
                (double)amounts->alloc_bytes);
    metrics_add(metrics, METRICS_site_allocated_blocks, labels,
                (double)amounts->alloc_blocks);
}

static void take_sites(struct metrics *metrics, const struct profile *profile,
                       const struct site_names *names, const char *program,
                       size_t top)
{
    struct profile_amounts others[LEDGER_SITE_KINDS] = { 0 };
    OWNED struct site *sites =
        memory_zeroed(profile->caller_count + 1, sizeof *sites);
    size_t count;

    for (size_t i = 0; i < profile->caller_count; i++)
        sites[i] = name_site(&profile->callers[i], &names->sites[i], program);
    count = join_sites(sites, profile->caller_count);
    qsort(sites, count, sizeof *sites, by_bytes);
    for (size_t i = 0; i < count; i++) {
        if (i < top)
            add_site(metrics, sites[i].labels, &sites[i].amounts,
                     !profile->lacks_totals);
        else
            amounts_add_settled(&others[sites[i].kind], &sites[i].amounts);
        free(sites[i].labels);
    }
    for (size_t kind = LEDGER_SITE_HEAP; kind <= LEDGER_SITE_MAP; kind++) {
        OWNED char *labels =
            memory_print("%s,kind=\"%s\",module=\"\",site=\"other\"", program,
                         profile_kind_names[kind]);

        add_site(metrics, labels, &others[kind], false);
    }
}

void metrics_take(struct metrics *metrics, const struct profile *profile,
                  const struct site_names *names, size_t top)
{
    const struct profile_image *image = profile->images;
    OWNED char *pid = profile->image_count == 0
                          ? memory_text("")
                          : memory_print("pid=\"%" PRIu32 "\",", image->pid);
    OWNED char *program = labels_of(
        pid, "service", image == NULL ? "" : base_name(image->program));

    take_build(metrics, profile, program);
    take_totals(metrics, profile, program);
    take_sites(metrics, profile, names, program, top);
}

const char *metrics_type(enum metrics_form form)
{
    return form == METRICS_OPEN ? "application/openmetrics-text; "
                                  "version=1.0.0; charset=utf-8"
                                : "text/plain; version=0.0.4; charset=utf-8";
}

/* Write HELP and TYPE. In OpenMetrics a family's name lacks the suffix of its
   samples. */
static void write_head(size_t family, enum metrics_form form, FILE *out)
{
    const char *name = families[family].name, *type = families[family].type;
    const char *behind = form == METRICS_OPEN ? "" : families[family].behind;

    if (form != METRICS_OPEN && strcmp(type, "info") == 0)
        type = "gauge";
    fprintf(out, "# HELP %s%s %s\n# TYPE %s%s %s\n", name, behind,
            families[family].help, name, behind, type);
    if (form == METRICS_OPEN && families[family].unit[0] != '\0')
        fprintf(out, "# UNIT %s %s\n", name, families[family].unit);
}

void metrics_write(const struct metrics *metrics, enum metrics_form form,
                   FILE *out)
{
    for (size_t family = 0; family < METRICS_FAMILIES; family++) {
        bool has_head = false;

        for (size_t i = 0; i < metrics->count; i++) {
            const struct metrics_sample *sample = &metrics->samples[i];
            const char *labels = sample->labels;

            if (sample->family != family)
                continue;
            if (!has_head)
                write_head(family, form, out);
            has_head = true;
            fprintf(out, "%s%s%s%s%s ", families[family].name,
                    families[family].behind, *labels == '\0' ? "" : "{", labels,
                    *labels == '\0' ? "" : "}");
            fprintf(out,
                    sample->value == rint(sample->value) ? "%.0f\n" : "%.3f\n",
                    sample->value);
        }
    }
    if (form == METRICS_OPEN)
        fputs("# EOF\n", out);
}

void metrics_free(struct metrics *metrics)
{
    for (size_t i = 0; i < metrics->count; i++)
        free(metrics->samples[i].labels);
    free(metrics->samples);
    *metrics = (struct metrics){ 0 };
}

static void write_prometheus(const struct export_job *job, FILE *out,
                             struct export_result *result)
{
    struct metrics metrics = { 0 };

    (void)result;
    metrics_take(&metrics, job->profile, job->names, FILE_SITES);
    metrics_write(&metrics, METRICS_PROMETHEUS, out);
    metrics_free(&metrics);
}

const struct exporter exporter_prometheus = {
    .summary = "for node_exporter: totals, and the greatest sites",
    .write = write_prometheus,
    .is_by_blame = true,
};
