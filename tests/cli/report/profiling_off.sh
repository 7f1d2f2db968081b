# SPDX-License-Identifier: Apache-2.0
# Accounts that were switched off are not exact: the first line says so.
"$PYTHON" "$CASE_DIR/../make_ledger.py" off.tally plain --poke 24=00000000
"$PYTHON" "$CASE_DIR/../make_ledger.py" never.tally plain --poke 24=02000000
tally report --full off.tally | sed -n 1p
tally report --full never.tally | sed -n 1p
tally report --json off.tally | grep mem_profiling
