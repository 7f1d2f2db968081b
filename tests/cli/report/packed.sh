# SPDX-License-Identifier: Apache-2.0
# A compressed file is named as such; unpacked by a pipe it is read.
printf '#m:0x20003240;0x600d-50\n#f:0x0;0x602f-0x20003240\n' > t
gzip -c t > t.gz
zstd -q t -o t.zst
for file in t.gz t.zst; do
    tally report $file
    echo "$file: $?"
    tally decode $file
    echo "$file: $?"
done
zstd -dc t.zst | tally report - | head -n 1
