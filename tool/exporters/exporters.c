/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exporters.c - the list of formats, in the order of --help
 */
#include "tool/exporters/exporter.h"

/* Each row names a file here that defines exporter_NAME. */
#define EXPORTERS(X) \
    X(folded)        \
    X(svg)           \
    X(html)          \
    X(pprof)         \
    X(speedscope)    \
    X(heaptrack)     \
    X(prometheus)    \
    X(tef)           \
    X(ctf)           \
    X(text)

#define DECLARE(name) extern const struct exporter exporter_##name;
EXPORTERS(DECLARE)

#define ENTRY(name) &exporter_##name,
const struct exporter *const exporter_list[] = { EXPORTERS(ENTRY) };

#define NAME(name) #name,
static const char *const names[] = { EXPORTERS(NAME) };
const struct word_list exporter_names = WORDS(names);
