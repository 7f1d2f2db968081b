/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_script.h - the text of tool/web/flame.js
 */
#ifndef TALLY_TOOL_EXPORTERS_FLAME_SCRIPT_H
#define TALLY_TOOL_EXPORTERS_FLAME_SCRIPT_H

extern const char flame_script[];

#endif /* TALLY_TOOL_EXPORTERS_FLAME_SCRIPT_H */
