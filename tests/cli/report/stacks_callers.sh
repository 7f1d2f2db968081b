# SPDX-License-Identifier: Apache-2.0
# From a function outwards, wherever in a stack it is.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
for options in "--callers=libread.so.1+0x1234" "--callers=app+0x1200 --peak" \
    --callers=app+0x1500 --callers=nobody; do
    tally report $options a.tally >out
    echo "-- $?"
    sed '/^Totals/,$d' out
done
