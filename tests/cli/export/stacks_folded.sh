# SPDX-License-Identifier: Apache-2.0
# Outermost call first; equal stacks are one.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
for value in live-bytes leaked-blocks peak-bytes peak-blocks total-bytes \
    total-blocks temporary; do
    echo "$value"
    tally export --to folded --value=$value a.tally
done
