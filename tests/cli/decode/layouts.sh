# SPDX-License-Identifier: Apache-2.0
# All layouts, with addresses of 32 and of 64 bits, from their bytes alone. The
# times of the first two have 32 bits, which are 4.29 seconds.
for layout in 1 2 3 4; do
    for address in 4 8; do
        "$PYTHON" "$CASE_DIR/../make_trace.py" --layout=$layout \
            --address=$address --rounds=12 trace
        tally decode trace > $layout.$address
        cmp $layout.$address 1.4 && echo "layout $layout, $address bytes"
    done
done
cat 1.4
