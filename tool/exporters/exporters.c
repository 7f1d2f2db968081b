/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exporters.c - the list of formats
 */
#include "tool/exporters/exporter.h"

const struct exporter *const exporter_list[] = {
    &exporter_folded,     &exporter_svg,       &exporter_pprof,
    &exporter_speedscope, &exporter_heaptrack, &exporter_tef,
    &exporter_ctf,        &exporter_text,      NULL,
};
