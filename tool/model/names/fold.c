/* SPDX-License-Identifier: Apache-2.0 */
/* fold.c - see names.h */
#include "tool/model/names/names.h"

#include <stdlib.h>
#include <string.h>

#include "tool/tables/tables.h"
#include "tool/text/text.h"

/* docs/man/tally-report.1 has this list, too. */
static const char *const fold_list[] = {
    /* libc */
    "malloc", "calloc", "realloc", "reallocarray", "aligned_alloc", "memalign",
    "posix_memalign", "valloc", "pvalloc", "strdup", "__strdup", "strndup",
    "__strndup", "wcsdup", "asprintf", "vasprintf", "__asprintf", "__vasprintf",
    "__*asprintf_chk", "__vasprintf_internal", "getline", "__getdelim",
    "getdelim", "mmap", "mmap64", "__mmap", "mremap", "fopen*", "fdopen*",
    "__fopen_internal", "opendir*", "fdopendir", "__opendir*", "__alloc_dir",
    /* C++ */
    "operator new", "operator new[]", "std::*", "__gnu_cxx::*", "__cxxabiv1*",
    /* wrappers in programs */
    "xmalloc", "xcalloc", "xrealloc", "xreallocarray", "xzalloc", "xmemdup",
    "xstrdup", "xstrndup", "xnmalloc", "xnrealloc", "xmalloc0", "x2realloc",
    "x2nrealloc", "xpalloc", "xcharalloc", "xasprintf", "xvasprintf",
    "xmalloc_*", "safe_malloc", "safe_calloc", "safe_realloc", "emalloc",
    "ecalloc", "erealloc", "estrdup", "my_malloc", "my_realloc", "zmalloc",
    "zcalloc", "zrealloc", "ztrymalloc*", "ztrycalloc*", "ztryrealloc*",
    "zmalloc_*", "zcalloc_*", "zrealloc_*", "zstrdup",
    /* GLib, APR, nginx, redis, OpenSSL, SQLite, PostgreSQL, HotSpot */
    "g_malloc*", "g_try_malloc*", "g_realloc*", "g_try_realloc*", "g_slice_*",
    "g_strdup", "g_strndup", "g_memdup*", "g_aligned_alloc*", "apr_palloc*",
    "apr_pcalloc*", "CRYPTO_malloc*", "CRYPTO_zalloc*", "CRYPTO_realloc*",
    "CRYPTO_strdup*", "CRYPTO_strndup", "CRYPTO_memdup*", "CRYPTO_clear_*",
    "OPENSSL_LH_*", "OPENSSL_sk_*", "BUF_MEM_*", "ngx_alloc", "ngx_calloc",
    "ngx_memalign", "ngx_palloc*", "ngx_pnalloc", "ngx_pcalloc",
    "ngx_create_pool", "_sdsnewlen", "sdsnewlen", "os::malloc", "os::realloc",
    "os::reserve_memory*", "os::pd_*reserve_memory*", "AllocateHeap",
    "sqlite3MemMalloc", "sqlite3MemRealloc", "sqlite3Malloc*",
    "sqlite3_malloc*", "sqlite3Realloc*", "sqlite3_realloc*",
    "sqlite3DbMalloc*", "sqlite3DbRealloc*", "sqlite3DbStrDup",
    "sqlite3DbStrNDup", "mallocWithAlarm", "dbMallocRawFinish",
    "dbReallocFinish", "palloc", "palloc0", "palloc_*", "repalloc", "pstrdup",
    "MemoryContextAlloc*", "AllocSetAlloc*", "AllocSetRealloc",
    "AllocSetContextCreate*",
    /* Perl, PHP, Ruby, OCaml, jq, V8, zsh, libxml2 */
    "Perl_safesys*", "Perl_savepv*", "__zend_*alloc", "ruby_x*alloc*",
    "ruby_strdup", "caml_stat_*", "jv_mem_*", "v8::internal::AllocAtLeast*",
    "zalloc", "zshcalloc", "ztrdup", "xmlStrdup", "xmlStrndup", "xmlBufCreate*",
    "xmlBufResize",
    /* Python */
    "PyMem_*", "_PyMem_*", "PyObject_*alloc", "_PyObject_*alloc",
    "PyObject_New*", "_PyObject_New*", "_PyObject_GC_*", "PyObject_GC_*",
    "PyType_GenericAlloc", "_PyType_AllocNoTrack", "_PyObject_GC_Alloc*",
    "pymalloc_*", "new_arena", "allocate_from_new_pool", "_PyLong_New",
    /* Rust */
    "__rust_*alloc*", "__rdl_*", "__rg_*", "alloc::alloc::*", "alloc::boxed::*",
    "alloc::collections::*", "alloc::fmt::*", "alloc::rc::*",
    "alloc::raw_vec::*", "alloc::slice::*", "alloc::str::*", "alloc::string::*",
    "alloc::sync::*", "alloc::vec::*", "core::alloc::*", "core::iter::*",
    "core::ops::*", "core::option::*", "core::ptr::*", "core::result::*",
    "<alloc::*", "<core::*", "<std::*", "hashbrown::*", "<hashbrown::*",
    /* gcc and binutils */
    "ggc_alloc*", "ggc_internal_alloc*", "ggc_internal_cleared_alloc*",
    "ggc_realloc*", "bfd_malloc*", "bfd_zmalloc*", "bfd_realloc*", "bfd_alloc*",
    "bfd_zalloc*", "objalloc_*", "_objalloc_alloc", "_obstack_*",
    "call_chunkfun", NULL
};

/*
 * Return "a::b<int>::c" of "void a::b<int>::c(int) [clone .cold]"; the caller
 * frees it. A conversion, "a::operator int()", keeps its type.
 */
char *fold_short_name(const char *function)
{
    const char *begin = function, *operator, * at;
    unsigned depth = 0;

    if (function == NULL || strpbrk(function, " (<") == NULL)
        return NULL;
    operator= strstr(function, "operator");
    for (at = function; *at != '\0' && at != operator; at++) {
        if (*at == '<' || (*at == '(' && strncmp(at, "(anonymous", 10) == 0))
            depth++;
        else if (depth > 0 && (*at == '>' || *at == ')'))
            depth--;
        else if (*at == '(' && depth == 0)
            break;
        else if (*at == ' ' && depth == 0)
            begin = at + 1;
    }
    if (at == operator)
        at += strcspn(at, "(");
    return memory_or_exit(strndup(begin, (size_t)(at - begin)));
}

static bool is_path_like(const char *glob, const char *module)
{
    return glob_matches(glob, module) || glob_matches(glob, base_name(module));
}

/* `short_name` is the function, or its qualified name. */
static bool list_matches(const struct glob_list *list,
                         const struct site_name *name, const char *short_name)
{
    char *line = name->file == NULL || list->count == 0
                     ? NULL
                     : site_line(name->file, name->line);
    bool is_match = false;

    for (size_t i = 0; i < list->count && !is_match; i++) {
        const char *glob = list->globs[i];

        is_match =
            (name->function != NULL && (glob_matches(glob, short_name) ||
                                        glob_matches(glob, name->function))) ||
            (name->file != NULL &&
             (is_path_like(glob, name->file) || is_path_like(glob, line))) ||
            (name->module != NULL && is_path_like(glob, name->module));
    }
    free(line);
    return is_match;
}

bool glob_list_matches(const struct glob_list *list,
                       const struct site_name *name)
{
    char *made = fold_short_name(name->function);
    bool is_one =
        list_matches(list, name, made == NULL ? name->function : made);

    free(made);
    return is_one;
}

static struct text_view view_of(const char *text)
{
    return (struct text_view){ text, text == NULL ? 0 : strlen(text) };
}

bool name_filter_matches(const struct allocinfo_filter *filter,
                         const struct site_name *name, bool is_executable)
{
    struct allocinfo_filter rest = *filter;
    struct allocinfo_row row = {
        .file = view_of(site_file(name)),
        .line = name->file == NULL ? 0 : name->line,
        .function = view_of(name->function),
    };
    char *short_name;
    bool is_match;

    if (name->module != NULL) {
        const char *base = base_name(name->module);

        if (!is_executable)
            row.module = view_of(base);
        if (allocinfo_compare_texts(filter->module, view_of(base)) == 0 ||
            allocinfo_compare_texts(filter->module, view_of(name->module)) == 0)
            rest.mask &= ~(uint64_t)ALLOCINFO_FILTER_MODULE;
    }
    is_match = allocinfo_filter_matches_names(&rest, &row);
    short_name = is_match ? NULL : fold_short_name(name->function);
    if (short_name != NULL) {
        row.function = view_of(short_name);
        is_match = allocinfo_filter_matches_names(&rest, &row);
    }
    free(short_name);
    return is_match;
}

const struct fold_rules fold_shipped, fold_by_list = { .is_by_list = true };

bool fold_matches(const struct fold_rules *rules, const struct site_name *name)
{
    char *made = rules->is_leaf ? NULL : fold_short_name(name->function);
    const char *short_name = made == NULL ? name->function : made;
    bool is_folded = false;

    if (rules->is_leaf)
        return false;
    for (size_t i = 0; short_name != NULL && !is_folded && fold_list[i] != NULL;
         i++)
        is_folded = glob_matches(fold_list[i], short_name);
    is_folded = is_folded || list_matches(&rules->hide, name, short_name);
    free(made);
    return is_folded;
}
