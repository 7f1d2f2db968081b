# SPDX-License-Identifier: Apache-2.0
# Scopes of Zephelin, as a Cortex-M3 sent them, reach a folder and its readers.
command -v babeltrace2 >/dev/null || {
    echo "SKIPPED: no babeltrace2; scripts/install-deps test" >&2
    exit 77
}
scopes=$CASE_DIR/../../unit/format/ctf/data/scopes.raw
tally capture "$scopes" -o folder/ 2> /dev/null
cmp "$scopes" folder/channel0_0
babeltrace2 folder | wc -l
babeltrace2 folder | sed -n 's/^\(\[[^]]*\]\).*zpl_scope_/\1 /p'
