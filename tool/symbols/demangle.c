/* SPDX-License-Identifier: Apache-2.0 */
/*
 * demangle.c - turn linker names into source names
 *
 * libiberty's demangler is plain C; __cxa_demangle would bring in the C++
 * runtime. A name may refer to its own parts, each of which doubles its text
 * and the time to print it. So the parts are counted first, and printing ends
 * at a limit.
 */
#include "tool/symbols/lookup.h"

#include <inttypes.h>
#include <libiberty/demangle.h>
#include <setjmp.h>

enum {
    LONGEST_NAME = 8192,  /* bytes of a linker name that is read */
    LONGEST_TEXT = 16384, /* bytes of a source name */
    NODE_LIMIT = 1 << 16, /* nodes of a printed tree */
    TWICE_LIMIT = 12,     /* arguments that the parser reads twice */
};

/* A bounded text; what prints it ends by longjmp(). */
struct name_text {
    jmp_buf full;
    size_t length;
    char bytes[LONGEST_TEXT];
};

static void collect(const char *bytes, size_t size, void *opaque)
{
    struct name_text *text = opaque;

    if (size > sizeof text->bytes - text->length)
        longjmp(text->full, 1);
    if (size > 0) /* `bytes` may be NULL */
        memcpy(text->bytes + text->length, bytes, size);
    text->length += size;
}

/* Print a tree of C++, or a name of Rust if it is NULL. Return false if that
   fails or the text is too long. */
static bool print(struct name_text *text, struct demangle_component *tree,
                  const char *name, int options)
{
    text->length = 0;
    if (setjmp(text->full) != 0)
        return false;
    return (tree == NULL ? rust_demangle_callback(name, options, collect, text)
                         : cplus_demangle_print_callback(options, tree, collect,
                                                         text)) != 0;
}

/* Return the name of a function without its type, qualifiers and clones. */
static struct demangle_component *own_name(struct demangle_component *node)
{
    while (node != NULL) {
        switch (node->type) {
        case DEMANGLE_COMPONENT_CLONE:
        case DEMANGLE_COMPONENT_CONST_THIS:
        case DEMANGLE_COMPONENT_COVARIANT_THUNK:
        case DEMANGLE_COMPONENT_NOEXCEPT:
        case DEMANGLE_COMPONENT_REFERENCE_THIS:
        case DEMANGLE_COMPONENT_RESTRICT_THIS:
        case DEMANGLE_COMPONENT_RVALUE_REFERENCE_THIS:
        case DEMANGLE_COMPONENT_TAGGED_NAME:
        case DEMANGLE_COMPONENT_THROW_SPEC:
        case DEMANGLE_COMPONENT_THUNK:
        case DEMANGLE_COMPONENT_TRANSACTION_SAFE:
        case DEMANGLE_COMPONENT_TYPED_NAME:
        case DEMANGLE_COMPONENT_VIRTUAL_THUNK:
        case DEMANGLE_COMPONENT_VOLATILE_THIS:
            node = node->u.s_binary.left;
            break;
        default:
            return node;
        }
    }
    return NULL;
}

/* Return the outermost scope of a name; NULL if it has none. */
static const struct demangle_component *
outermost(struct demangle_component *node)
{
    for (node = own_name(node);
         node != NULL && (node->type == DEMANGLE_COMPONENT_QUAL_NAME ||
                          node->type == DEMANGLE_COMPONENT_LOCAL_NAME ||
                          node->type == DEMANGLE_COMPONENT_TEMPLATE);)
        node = own_name(node->u.s_binary.left);
    return node != NULL && (node->type == DEMANGLE_COMPONENT_NAME ||
                            node->type == DEMANGLE_COMPONENT_SUB_STD)
               ? node
               : NULL;
}

bool scope_is_standard(const char *scope, size_t length)
{
    static const char *const scopes[] = { "std", "__gnu_cxx", "__gnu_debug",
                                          "__cxxabiv1" };

    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++) {
        if (strlen(scopes[i]) == length &&
            strncmp(scopes[i], scope, length) == 0)
            return true;
    }
    return false;
}

/* A standard substitution is "std" or begins with "std::". */
static bool is_in_standard(struct demangle_component *node)
{
    const struct demangle_component *scope = outermost(node);

    return scope != NULL &&
           (scope->type == DEMANGLE_COMPONENT_SUB_STD ||
            scope_is_standard(scope->u.s_name.s, (size_t)scope->u.s_name.len));
}

/* Return true for a template of the standard library, Boost or Qt. */
static bool is_of_library(struct demangle_component *node)
{
    const struct demangle_component *scope = outermost(node);

    return is_in_standard(node) ||
           (scope != NULL && scope->u.s_name.len > 1 &&
            ((scope->u.s_name.s[0] == 'Q' && scope->u.s_name.s[1] >= 'A' &&
              scope->u.s_name.s[1] <= 'Z') ||
             (scope->u.s_name.len == 5 &&
              strncmp(scope->u.s_name.s, "boost", 5) == 0)));
}

/* Fill in the places of a node's children; NULL where it has none. */
static void find_children(struct demangle_component *node,
                          struct demangle_component **children[2])
{
    children[0] = children[1] = NULL;
    switch (node->type) {
    case DEMANGLE_COMPONENT_BUILTIN_TYPE:
    case DEMANGLE_COMPONENT_CHARACTER:
    case DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE:
    case DEMANGLE_COMPONENT_FUNCTION_PARAM:
    case DEMANGLE_COMPONENT_NAME:
    case DEMANGLE_COMPONENT_NUMBER:
    case DEMANGLE_COMPONENT_OPERATOR:
    case DEMANGLE_COMPONENT_SUB_STD:
    case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
    case DEMANGLE_COMPONENT_UNNAMED_TYPE:
        return;
    case DEMANGLE_COMPONENT_CTOR:
        children[0] = &node->u.s_ctor.name;
        return;
    case DEMANGLE_COMPONENT_DTOR:
        children[0] = &node->u.s_dtor.name;
        return;
    case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
        children[0] = &node->u.s_extended_operator.name;
        return;
    case DEMANGLE_COMPONENT_FIXED_TYPE:
        children[0] = &node->u.s_fixed.length;
        return;
    case DEMANGLE_COMPONENT_DEFAULT_ARG:
    case DEMANGLE_COMPONENT_LAMBDA:
        children[0] = &node->u.s_unary_num.sub;
        return;
    default:
        children[0] = &node->u.s_binary.left;
        children[1] = &node->u.s_binary.right;
    }
}

/*
 * Return the number of nodes that the printer visits, NODE_LIMIT at most: a
 * shared part counts each time, and a pack is searched, too. Keep the result in
 * d_printing, as each part is counted once. Reduce the tree to a short name if
 * `no_arguments` is given.
 */
static int count_nodes(struct demangle_component *node,
                       struct demangle_component *no_arguments)
{
    struct demangle_component **children[2];
    int count = 1;

    if (node == NULL)
        return 0;
    if (node->d_printing != 0)
        return node->d_printing;
    node->d_printing = NODE_LIMIT; /* if it contains itself */
    if (no_arguments != NULL && (node->type == DEMANGLE_COMPONENT_QUAL_NAME ||
                                 node->type == DEMANGLE_COMPONENT_LOCAL_NAME)) {
        node->u.s_binary.left = own_name(node->u.s_binary.left);
        node->u.s_binary.right = own_name(node->u.s_binary.right);
    }
    if (no_arguments != NULL && node->type == DEMANGLE_COMPONENT_TEMPLATE &&
        is_of_library(node))
        node->u.s_binary.right = no_arguments;
    find_children(node, children);
    for (unsigned i = 0; i < 2 && children[i] != NULL && count < NODE_LIMIT;
         i++)
        count += count_nodes(*children[i], no_arguments);
    if (node->type == DEMANGLE_COMPONENT_PACK_EXPANSION)
        count *= 2;
    if (count > NODE_LIMIT)
        count = NODE_LIMIT;
    return node->d_printing = count;
}

/* The printer wants d_printing to be 0. */
static void clear_nodes(struct demangle_component *node)
{
    struct demangle_component **children[2];

    if (node == NULL || node->d_printing == 0)
        return;
    node->d_printing = 0;
    find_children(node, children);
    for (unsigned i = 0; i < 2 && children[i] != NULL; i++)
        clear_nodes(*children[i]);
}

/* Return true if a name is parsed in a bounded time. In a conversion the parser
   reads arguments of a template parameter, "T_I...E", twice, and these, too. */
static bool is_parsed_soon(const char *name)
{
    unsigned count = 0;

    if (strstr(name, "cv") == NULL)
        return true;
    while ((name = strchr(name, 'T')) != NULL) {
        name++;
        name += strspn(name, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        count += name[0] == '_' && name[1] == 'I';
    }
    return count <= TWICE_LIMIT;
}

/* Print a name of C++, in short if `is_standard` is given, and set that. */
static bool print_cplusplus(struct name_text *text, const char *name,
                            int options, bool *is_standard)
{
    struct demangle_component no_arguments = {
        .type = DEMANGLE_COMPONENT_TEMPLATE_ARGLIST
    };
    OWNED void *memory = NULL;
    struct demangle_component *tree =
        cplus_demangle_v3_components(name, options, &memory);
    bool is_printed = false;

    if (is_standard != NULL) {
        tree = own_name(tree);
        *is_standard = is_in_standard(tree);
    }
    if (tree != NULL &&
        count_nodes(tree, is_standard == NULL ? NULL : &no_arguments) <
            NODE_LIMIT) {
        clear_nodes(tree);
        is_printed = print(text, tree, name, options);
    }
    return is_printed;
}

/* Return true if a path of Rust begins in the standard library, or in no crate
   at all: parameters of types and primitive types. */
static bool is_standard_path(const char *path)
{
    static const char *const crates[] = { "alloc", "core", "std", "__rustc",
                                          "hashbrown" };
    static const char *const words[] = { "const ", "dyn ", "mut " };
    size_t length;

    path += strspn(path, "&*[(<");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strncmp(path, words[i], strlen(words[i])) == 0)
            return is_standard_path(path + strlen(words[i]));
    }
    length = strcspn(path, " ,:;<>)]");
    if (path[length] != ':')
        return true;
    for (size_t i = 0; i < sizeof crates / sizeof *crates; i++) {
        if (strlen(crates[i]) == length &&
            strncmp(path, crates[i], length) == 0)
            return true;
    }
    return false;
}

/* Return the trait of "<TYPE as TRAIT>::f"; NULL if there is none. */
static const char *find_trait(const char *name)
{
    unsigned depth = 0;

    for (const char *at = name; *at != '\0'; at++) {
        if (*at == '<')
            depth++;
        else if (*at == '>' && depth > 0 && at[-1] != '-')
            depth--;
        else if (depth == 1 && strncmp(at, " as ", 4) == 0)
            return at + 4;
    }
    return NULL;
}

static char *copy_of(const struct name_text *text)
{
    return memory_print("%.*s", (int)text->length, text->bytes);
}

struct function_name demangle_function(const char *name,
                                       enum demangle_arguments arguments)
{
    char *copy = memory_or_exit(strndup(name, strcspn(name, "@")));
    struct function_name made = { .whole = copy };
    int options =
        DMGL_ANSI |
        (arguments == DEMANGLE_WITH_ARGUMENTS ? DMGL_PARAMS : DMGL_NO_OPTS);
    struct name_text text;

    /* Other schemes have no prefix, and would find names where there are
       none. */
    if ((strncmp(copy, "_Z", 2) != 0 && strncmp(copy, "_R", 2) != 0) ||
        strlen(copy) > LONGEST_NAME)
        return made;
    if (print(&text, NULL, copy, options)) {
        const char *trait;

        made.whole = copy_of(&text);
        trait = find_trait(made.whole);
        made.is_standard = is_standard_path(made.whole) &&
                           (trait == NULL || is_standard_path(trait));
    } else if (copy[1] == 'Z' && is_parsed_soon(copy)) {
        if (print_cplusplus(&text, copy, options, NULL))
            made.whole = copy_of(&text);
        if (print_cplusplus(&text, copy, DMGL_ANSI, &made.is_standard))
            made.short_name = copy_of(&text);
    }
    if (made.whole != copy)
        free(copy);
    return made;
}

char *demangle(const char *name, enum demangle_arguments arguments)
{
    struct function_name made = demangle_function(name, arguments);

    free(made.short_name);
    return made.whole;
}

char *demangle_at(const char *name, uint64_t offset,
                  enum demangle_arguments arguments)
{
    char *plain = demangle(name, arguments), *longer;

    if (plain[0] == '\0' || offset == 0)
        return plain;
    longer = memory_print("%s+0x%" PRIx64, plain, offset);
    free(plain);
    return longer;
}
