# SPDX-License-Identifier: Apache-2.0
# Usage and sources.
cp "$CASE_DIR/../data/linux-7.3.4-boot.txt" kernel.txt
for arguments in "" kernel.txt "--to kernel.txt" "--to pdf kernel.txt" \
    "--to svg" "--to svg a b" "--to svg gone" \
    "--to svg --value=size kernel.txt" \
    "--to svg --value=total-bytes kernel.txt" "--to svg -x kernel.txt" \
    "--to svg --sysroot=gone kernel.txt" \
    "--to heaptrack -o a.ht.zst kernel.txt" "--to heaptrack -o .gz a"; do
    tally export $arguments
    echo "$arguments: $?"
done
