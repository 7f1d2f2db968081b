# SPDX-License-Identifier: Apache-2.0
# A ledger: by what its rows show, or by the path of a module.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
rows() { echo "$1"; tally allocinfo "$1" a.tally | tail -n +3; }
rows --module=
rows "--module=libspace me.so.1"
rows "--module=/nowhere/lib/libspace me.so.1"
rows --file=/nowhere/lib/libspace_me.so.1
rows --min-size=61
