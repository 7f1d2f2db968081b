# SPDX-License-Identifier: Apache-2.0
# Colour by request and not into files.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
tally report a.tally | grep -c "$(printf "\033")"
tally report --color=always a.tally | grep -c "$(printf "\033")"
NO_COLOR=1 tally report --color=auto a.tally | grep -c "$(printf "\033")"
true
