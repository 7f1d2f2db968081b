/* SPDX-License-Identifier: Apache-2.0 */
/* names.h - names of sites, frames, lines and images */
#pragma once

#include "format/text_after.h"
#include "tool/model/profile/profile.h"

/*
 * Names of the sites of a profile
 *
 *     struct site_names *names = site_names_create(profile, NULL,
 *                                                  DEMANGLE_WITH_ARGUMENTS);
 *
 *     print(names->sites[i].function); // of profile->callers[i]
 */

struct site_name {
    const char *function; /* NULL unknown */
    const char *file;     /* NULL unknown */
    uint64_t line;
    const char *module;     /* path; NULL unknown, or built in */
    const char *short_name; /* of the function; NULL: `function` */
    bool is_standard; /* function of the standard library of its language */
};

/* Return the function as rows show it: see struct function_name. */
static inline const char *site_name_short(const struct site_name *name)
{
    return name->short_name == NULL ? name->function : name->short_name;
}

/* Return the name of a call in a module, which may be NULL. */
static inline struct site_name site_name_of(const struct symbol *symbol,
                                            const char *module)
{
    return (struct site_name){ .function = symbol->function,
                               .file = symbol->file,
                               .line = symbol->line,
                               .module = module,
                               .short_name = symbol->short_name,
                               .is_standard = symbol->is_standard };
}

static inline struct site_name
site_name_of_label(const struct profile_label *label)
{
    return (struct site_name){ .function = label->function,
                               .file = label->file,
                               .line = label->line,
                               .module = label->module };
}

struct site_names {
    struct site_name *sites;
    size_t unresolved; /* addresses without a function */
    struct symbols *symbols;
};

/* Name every site, as symbols_create() finds names. They live as long as the
   profile. */
struct site_names *site_names_create(const struct profile *profile,
                                     const struct symbols_search *search,
                                     enum demangle_arguments arguments);

/* Return the symbols of the profile's modules: `search->kept`, updated for the
   profile, or new ones. */
struct symbols *site_names_symbols(const struct profile *profile,
                                   const struct symbols_search *search,
                                   enum demangle_arguments arguments);

/* Like symbols_find_chain(), but prefer names that the source has. */
size_t site_names_chain(struct symbols *symbols, const struct profile *profile,
                        const struct profile_place *place,
                        struct symbol chain[SYMBOLS_CHAIN_LIMIT]);

/* Return the name of code that lies in no module; NULL: modules are unknown. */
const char *site_names_without_module(const struct profile *profile);

/* Return the function or, if it is unknown, MODULE+0xADDRESS; the caller frees
   it. */
char *site_label(const struct profile_site *site, const struct site_name *name);

/* Return the file, else the path of the module, else "unknown". */
const char *site_file(const struct site_name *name);

/* Return the base name of the module, or "unknown"; NULL if the site is built
   in, or in the executable. */
const char *site_module(const struct profile *profile,
                        const struct profile_site *site,
                        const struct site_name *name);

/*
 * Return true if the module's file may be another one by now: it has no
 * build-id, and changed after all processes of the profile had ended.
 */
bool site_names_may_be_wrong(const struct site_names *names,
                             const struct profile *profile, size_t module);

/* Return "FILE:LINE", or "FILE" if the line is 0; the caller frees it. */
char *site_line(const char *file, uint64_t line);

/*
 * Name slabs and heaps without a name after the variables that they are, like
 * trace_names.h. Find files below `sysroot` unless it is NULL. Ignore a file
 * whose build-id is not that of the loaded one.
 */
void region_names_find(struct profile *profile, const char *sysroot);

/*
 * Patterns of calls: those to fold, and those that a user asks for
 *
 * Allocators, wrappers and containers allocate on behalf of their callers, who
 * are to blame. Tally ships a list of their names (fold.list). A user adds
 * globs of functions, files, FILE:LINE or modules.
 *
 *     struct fold_rules rules = { .hide = { { "cache_*" }, 1, 0 } };
 *
 *     if (fold_of(&rules, &name) != FOLD_NOT)
 *         look_at_the_caller();
 */

enum { GLOB_LIMIT = 64 };

struct glob_list {
    const char *globs[GLOB_LIMIT]; /* not owned */
    size_t count;
    size_t given; /* globs from options, which come before the project's */
};

enum fold {
    FOLD_NOT,
    FOLD_RULE,    /* in the shipped list, or hidden by the user */
    FOLD_WRAPPER, /* found by blame_name() */
    FOLD_START,   /* starts programs and threads: never to blame */
};

struct fold_rules {
    bool is_leaf;    /* fold no call, not even hidden ones */
    bool is_by_list; /* find no wrappers */
    struct glob_list hide;
};

/* The shipped rules; and without wrappers, so that later calls do not change
   the blame of earlier ones. */
extern const struct fold_rules fold_shipped, fold_by_list;

/* Return FOLD_RULE, FOLD_START or FOLD_NOT. */
enum fold fold_of(const struct fold_rules *rules, const struct site_name *name);

/* Content of fold.list, and a search in it. */
extern const char fold_list_text[];
bool fold_list_has(const char *short_name);

/* Return true if a glob matches the function, its short name, file, FILE:LINE
   or module. */
bool glob_list_matches(const struct glob_list *list,
                       const struct site_name *name);

/*
 * Return true if the filter wants the name; its numbers do not count. A
 * function may be given by its short name, a module by its path or base name.
 * An executable is built in, and has its name as well.
 */
bool name_filter_matches(const struct allocinfo_filter *filter,
                         const struct site_name *name, bool is_executable);

/*
 * Names of the frames of a profile's stacks
 *
 * Each place is looked up once. It is several calls if the compiler inlined
 * some: they come before the function that contains them. A call always has a
 * label; equal labels have one address.
 *
 *     struct frame_names *names = frame_names_create(profile, site_names);
 *     struct stack_walk walk;
 *     const struct frame_name *name;
 *
 *     stack_walk_begin(&walk, names, &profile->stacks.stacks[i]);
 *     while ((name = stack_walk_next(&walk)) != NULL) // innermost first
 *         show(name->label);
 *     if (walk.is_cut)
 *         show("and more");
 */

struct frame_name {
    const char *label; /* the function, MODULE+0xADDRESS or 0xADDRESS */
    struct site_name name;
    uint32_t label_number; /* one per label and module */
    uint32_t call_number;  /* one per label, module, file and line */
    bool returns_memory;   /* see struct symbol */
    bool is_pair;          /* a pair of a program's label, "[KEY=VALUE]" */
    enum fold fold;        /* set by blame.h */
};

/* Return the name with a function, which is the label if it is unknown. */
static inline struct site_name frame_name_called(const struct frame_name *call)
{
    struct site_name name = call->name;

    name.function = call->label;
    return name;
}

/* Return the label as rows show it. */
static inline const char *frame_name_short(const struct frame_name *call)
{
    return call->name.short_name == NULL ? call->label : call->name.short_name;
}

/* "[truncated]": outer calls are not known. */
extern const struct frame_name frame_truncated;

/* "[anonymous map]" and so on: innermost frames of memory other than the heap,
   by enum ledger_site_kind. */
extern const struct frame_name frame_kinds[LEDGER_SITE_KINDS];

struct frame_names;

/* A finished profile and the names of its sites and frames. */
struct named_profile {
    struct profile *profile;
    struct site_names *names;
    struct frame_names *frames; /* NULL: it knows no stacks */
};

/* Look up all places in the symbols of `site_names`. Names live as long as the
   profile. */
struct frame_names *frame_names_create(const struct profile *profile,
                                       struct site_names *site_names);

/* Return the calls at a place, innermost first. */
const struct frame_name *frame_names_find(const struct frame_names *names,
                                          uint32_t place, size_t *count);

void frame_names_set_fold(struct frame_names *names, uint32_t place,
                          size_t call, enum fold fold);

/* Return the only call of a site that has a label. */
const struct frame_name *frame_names_of_site(const struct frame_names *names,
                                             uint32_t site);

/* Return the innermost calls of a stack: at its place, or of its site. */
const struct frame_name *frame_names_of_stack(const struct frame_names *names,
                                              const struct profile_stack *stack,
                                              size_t *count);

/* Return one more than the highest label_number, or call_number. */
uint32_t frame_names_label_limit(const struct frame_names *names);
uint32_t frame_names_call_limit(const struct frame_names *names);

/* Name sites again after the profile's sites were replaced. */
void frame_names_rename_sites(struct frame_names *names);

#define FRAME_ANY_MODULE (UINT32_MAX - 1)

/* Return the number of places without a function in a module, which may be
   PROFILE_NO_MODULE; 0 if `names` is NULL. */
size_t frame_names_unresolved(const struct frame_names *names, uint32_t module);

/* Have walks leave out that many innermost calls of the stack. */
void frame_names_fold(struct frame_names *names, size_t stack, uint32_t calls);
uint32_t frame_names_folded(const struct frame_names *names,
                            const struct profile_stack *stack);

struct stack_walk {
    bool is_cut;                     /* after the last call: truncated */
    const struct frame_names *names; /* private from here on */
    const struct frame_name *at;
    size_t left;
    uint32_t frame;
};

void stack_walk_begin(struct stack_walk *walk, const struct frame_names *names,
                      const struct profile_stack *stack);

/* Begin with the calls that are left out otherwise. */
void stack_walk_begin_whole(struct stack_walk *walk,
                            const struct frame_names *names,
                            const struct profile_stack *stack);

/* Return the next outer call; NULL after the last. */
const struct frame_name *stack_walk_next(struct stack_walk *walk);

/*
 * Lines of source files on this machine
 *
 * Begins as { 0 }. Each file is read once. Lines are wrong if the file changed
 * after it was compiled.
 */

struct source_lines {
    struct text_pool paths; /* private, as are all fields */
    struct source_file *files;
    size_t count;
};

/* Return line `number`, from 1, trimmed, for the caller to free; NULL if the
   file cannot be read or has no such line. */
char *source_lines_find(struct source_lines *lines, const char *path,
                        uint64_t number);

void source_lines_free(struct source_lines *lines);

/*
 * The files of a recording's exec images
 *
 * `tally record -o FILE` writes the first image to FILE and each other one to
 * FILE.d/PID-GENERATION.
 */

struct image_file {
    char *path;
    uint32_t pid;
    uint32_t generation; /* exec images of the pid before this one */
};

struct image_list {
    struct image_file *files; /* sorted by pid and generation */
    size_t file_count;
};

/* Find the images beside `path`; there may be none. */
void images_open(struct image_list *list, const char *path);
void images_close(struct image_list *list);

/*
 * The accuracy of a profile, in lines of text
 *
 * Lines name estimates, lost and unrecorded events, truncated stacks, frames
 * without names, names that may be wrong, and notices. All exporters write the
 * same lines, in printable ASCII.
 */

enum { TRUST_LINE_SIZE = 1024 };

/* `line` is valid during the call. */
typedef void trust_line_fn(void *context, const char *line);

/* Tell all lines; `frames` may be NULL: then without those about frames. */
void trust_tell(const struct profile *profile, const struct site_names *names,
                const struct frame_names *frames, trust_line_fn *tell,
                void *context);

/* Tell the same lines unescaped, and sites without a name. */
void trust_tell_raw(const struct profile *profile,
                    const struct site_names *names,
                    const struct frame_names *frames, trust_line_fn *tell,
                    void *context);

/* Tell what an allocinfo text lacks, or counts twice. */
void trust_tell_text(const struct profile *profile, trust_line_fn *tell,
                     void *context);
void trust_tell_double_counted(const struct profile *profile,
                               trust_line_fn *tell, void *context);

/* Return all lines in one, with "; " before each; the caller frees it. */
char *trust_join(const struct profile *profile, const struct site_names *names,
                 const struct frame_names *frames);

/* Print the sampling interval, "one byte in 4,096 was sampled", or the budget
   and the CPU time that sampling took. */
const char *trust_sampling(char out[TRUST_LINE_SIZE], uint64_t interval,
                           const struct ledger_sampling *sampling);

/* Return the number of events that were lost, or counted for another site. */
uint64_t trust_lost(const struct profile *profile);

/* Return true if the profile, or the trace that it comes from, lacks events or
   was read while it changed. */
bool trust_is_lossy(const struct profile *profile);

/* Print the sentence that follows a number of LEDGER_COUNT_LIST. */
const char *trust_count_sentence(char out[TRUST_LINE_SIZE], size_t which,
                                 uint64_t count);

/* Return the sentence of a notice; its one "%s" stands for the text. */
const char *trust_notice_sentence(uint32_t code);
