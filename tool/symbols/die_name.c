/* SPDX-License-Identifier: Apache-2.0 */
/*
 * die_name.c - names of functions in debug information
 *
 * gcc gives no linkage name to functions of anonymous namespaces, local classes
 * and lambdas. If such a function is inlined, no symbol has its name either.
 */
#include "tool/symbols/lookup.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

enum { SCOPE_LIMIT = 32, STRIDE = 32 };

/* Every STRIDE-th child of an entry. Units have thousands of children, which
   libdw walks one after the other. */
struct die_stride {
    Dwarf_Off offset;
    Dwarf_Die die;
};

struct die_children {
    const void *parent; /* address of its entry */
    struct die_stride *strides;
    size_t count;
};

/* In C a linkage name has the library's version. */
const char *die_linkage_name(Dwarf_Die *function)
{
    Dwarf_Attribute attribute;
    const char *name = NULL;

    if (dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute) != NULL)
        name = dwarf_formstring(&attribute);
    return name != NULL && name[0] == '_' && (name[1] == 'Z' || name[1] == 'R')
               ? name
               : NULL;
}

Dwarf_Die die_declaration(Dwarf_Die die)
{
    Dwarf_Attribute attribute;

    for (unsigned i = 0; i < SCOPE_LIMIT; i++) {
        if (dwarf_attr(&die, DW_AT_abstract_origin, &attribute) == NULL &&
            dwarf_attr(&die, DW_AT_specification, &attribute) == NULL)
            break;
        if (dwarf_formref_die(&attribute, &die) == NULL)
            break;
    }
    return die;
}

static const struct die_children *children_of(struct die_parents *parents,
                                              Dwarf_Die *parent)
{
    const struct die_children added = { .parent = parent->addr };
    const size_t known = parents->count;
    const uint32_t number =
        INDEX_ADD(&parents->table, INDEX_KEY(struct die_children, parent),
                  parents->items, parents->count, &added);
    struct die_children *children = &parents->items[number];
    struct die_stride at = { 0 };

    if (number != known || dwarf_child(parent, &at.die) != 0)
        return children;
    for (size_t i = 0; dwarf_dieoffset(&at.die) > at.offset; i++) {
        at.offset = dwarf_dieoffset(&at.die);
        if (i % STRIDE == 0)
            ARENA_ADD(parents->table.arena, children->strides, children->count,
                      at);
        if (dwarf_siblingof(&at.die, &at.die) != 0)
            break;
    }
    return children;
}

/* Step into the child that is the wanted one or contains it. */
static bool step_towards(struct die_parents *parents, Dwarf_Die *die,
                         Dwarf_Off wanted)
{
    const struct die_children *children = children_of(parents, die);
    const size_t before = array_count_until(children->strides, children->count,
                                            sizeof *children->strides, wanted);
    Dwarf_Die next;

    if (before == 0)
        return false;
    *die = children->strides[before - 1].die;
    while (dwarf_siblingof(die, &next) == 0 &&
           dwarf_dieoffset(&next) > dwarf_dieoffset(die) &&
           dwarf_dieoffset(&next) <= wanted)
        *die = next;
    return true;
}

static bool is_cplusplus(Dwarf_Die *unit)
{
    switch (dwarf_srclang(unit)) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
        return true;
    default:
        return false;
    }
}

static bool is_class(Dwarf_Die *die)
{
    int tag = dwarf_tag(die);

    return tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
           tag == DW_TAG_union_type;
}

/* Return the number of unnamed classes before `end` in a scope and its blocks.
 */
static unsigned count_unnamed(Dwarf_Die *scope, Dwarf_Off end, unsigned depth)
{
    Dwarf_Off last = dwarf_dieoffset(scope);
    unsigned count = 0;
    Dwarf_Die die;

    if (depth == SCOPE_LIMIT || dwarf_child(scope, &die) != 0)
        return 0;
    do {
        if (dwarf_dieoffset(&die) <= last || dwarf_dieoffset(&die) >= end)
            break;
        last = dwarf_dieoffset(&die);
        count += is_class(&die) && dwarf_diename(&die) == NULL;
        if (dwarf_tag(&die) == DW_TAG_lexical_block)
            count += count_unnamed(&die, end, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
    return count;
}

/*
 * Return the name of a namespace or class, for the caller to free; NULL for
 * other entries. gcc does not name the class of a lambda: number it in the
 * scope around it.
 */
static char *scope_name(Dwarf_Die *scope, Dwarf_Die *around,
                        const char *function)
{
    const char *name = dwarf_diename(scope);

    if (dwarf_tag(scope) == DW_TAG_namespace)
        return memory_text(name == NULL ? "(anonymous namespace)" : name);
    if (!is_class(scope))
        return NULL;
    return name != NULL
               ? memory_text(name)
               : memory_print(
                     "{%s#%u}",
                     strcmp(function, "operator()") == 0 ? "lambda"
                                                         : "unnamed type",
                     count_unnamed(around, dwarf_dieoffset(scope), 0) + 1);
}

/* Return "SCOPE::NAME" or, if `length` is not that of the name, "SCOPE::NAM<>";
   free the scope, which may be NULL. */
static char *qualify(char *scope, const char *name, size_t length)
{
    char *joined = memory_print("%s%s%.*s%s", scope == NULL ? "" : scope,
                                scope == NULL ? "" : "::", (int)length, name,
                                name[length] == '\0' ? "" : "<>");

    free(scope);
    return joined;
}

/* Qualify a name by the scope so far. Names of the standard library lose the
   arguments of templates in short. */
static void append(struct function_name *made, const char *name)
{
    const size_t whole = strlen(name);
    size_t length = strcspn(name, "<");

    if (made->whole == NULL)
        made->is_standard = scope_is_standard(name, whole);
    if (!made->is_standard || length == 0 ||
        strncmp(name, "operator", strlen("operator")) == 0)
        length = whole;
    made->short_name = qualify(made->short_name, name, length);
    made->whole = qualify(made->whole, name, whole);
}

static void forget(struct function_name *made)
{
    free(made->whole);
    free(made->short_name);
    *made = (struct function_name){ 0 };
}

static struct function_name name_function(struct die_parents *parents,
                                          Dwarf_Die *declaration,
                                          unsigned depth)
{
    const Dwarf_Off end = dwarf_dieoffset(declaration);
    const char *name = dwarf_diename(declaration);
    struct function_name made = { 0 }, outer = { 0 };
    Dwarf_Die scope, around, function;
    bool is_local = false;

    if (name == NULL)
        return made;
    if (depth < SCOPE_LIMIT &&
        dwarf_diecu(declaration, &scope, NULL, NULL) != NULL &&
        is_cplusplus(&scope)) {
        around = scope;
        while (step_towards(parents, &scope, end) &&
               dwarf_dieoffset(&scope) < end) {
            OWNED char *part = scope_name(&scope, &around, name);

            if (part != NULL)
                append(&made, part);
            if (dwarf_tag(&scope) != DW_TAG_lexical_block)
                around = scope;
            if (dwarf_tag(&scope) == DW_TAG_subprogram) {
                forget(&made);
                function = scope;
                is_local = true;
            }
        }
    }
    append(&made, name);
    if (!is_local)
        return made;
    name = die_linkage_name(&function);
    function = die_declaration(function);
    outer = name != NULL ? demangle_function(name, DEMANGLE_WITHOUT_ARGUMENTS)
                         : name_function(parents, &function, depth + 1);
    if (outer.whole != NULL) {
        if (outer.short_name == NULL)
            outer.short_name = memory_text(outer.whole);
        outer.short_name =
            qualify(outer.short_name, made.short_name, strlen(made.short_name));
        outer.whole = qualify(outer.whole, made.whole, strlen(made.whole));
        forget(&made);
        return outer;
    }
    return made;
}

struct function_name die_function_name(struct die_parents *parents,
                                       Dwarf_Die *declaration)
{
    return name_function(parents, declaration, 0);
}
