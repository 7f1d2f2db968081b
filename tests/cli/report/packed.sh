# SPDX-License-Identifier: Apache-2.0
# A compressed file is named as such, with the program that unpacks it; unpacked
# by a pipe it is read. So is a text of which more than the first look is packed.
printf '#m:0x20003240;0x600d-50\n#f:0x0;0x602f-0x20003240\n' > t
gzip -c t > t.gz
zstd -q t -o t.zst
xz -k t
bzip2 -k t
"$PYTHON" -c 'import random
for i in range(40000):
    print(random.getrandbits(62), 1, "a.c:%d" % i, "func:f ")' | gzip > large.gz
[ "$(wc -c < large.gz)" -gt 100000 ] || echo "not large"
for file in t.gz t.zst t.xz t.bz2 large.gz; do
    tally report $file
    echo "$file: $?"
    tally decode $file
    echo "$file: $?"
done
zstd -dc t.zst | tally report - | head -n 1
