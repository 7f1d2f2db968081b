# SPDX-License-Identifier: Apache-2.0
# Colour by request and not into files.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
tally report --full a.tally | grep -c "$(printf "\033")"
tally report --full --color=always a.tally | grep -c "$(printf "\033")"
NO_COLOR=1 tally report --full --color=auto a.tally | grep -c "$(printf "\033")"
true
