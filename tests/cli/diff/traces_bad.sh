# SPDX-License-Identifier: Apache-2.0
# A trace and something else, options for call sites, damage.
cp "$CASE_DIR/../data/zpl-sample.txt" trace
cp "$CASE_DIR/../data/linux-7.3.4-boot.txt" kernel
"$PYTHON" "$CASE_DIR/../make_trace.py" --rounds=2 ctf
head -c 100 ctf > cut
for arguments in "trace kernel" "kernel trace" "--sort=growth trace trace" \
    "--top=3 trace trace" "--file=a trace trace" "--elf=a kernel kernel" \
    "--elf=a --elf=b --elf=c trace trace" "--elf=gone trace trace"; do
    tally diff $arguments
    echo "$arguments: $?"
done
tally diff cut ctf; echo "$?"
