# SPDX-License-Identifier: Apache-2.0
# Calls that were lost are not called blocks.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks \
    --poke 576=0a00000000000000
tally report a.tally | sed -n '/^Findings/,/^$/p'
