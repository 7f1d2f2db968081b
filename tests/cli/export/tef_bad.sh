# SPDX-License-Identifier: Apache-2.0
# A format for the other kind of source, options too, and damage.
cp "$CASE_DIR/../data/zpl-sample.txt" sample.txt
cp "$CASE_DIR/../data/linux-7.3.4-boot.txt" kernel.txt
for arguments in "--to=tef kernel.txt" "--to=svg sample.txt" \
    "--to=tef --value=live-bytes sample.txt" "--to=svg --elf=a kernel.txt" \
    "--to=tef --elf=gone sample.txt"; do
    tally export $arguments
    echo "$arguments: $?"
done
"$PYTHON" "$CASE_DIR/../make_trace.py" --rounds=2 trace
head -c 100 trace > cut
tally export --to=tef cut | grep -c MEMORY
