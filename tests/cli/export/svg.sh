# SPDX-License-Identifier: Apache-2.0
# A picture that depends on its source alone, and is well-formed.
cp "$CASE_DIR/../data/linux-7.3.4-load.txt" kernel.txt
tally export --to svg -o one.svg kernel.txt
tally export --to svg kernel.txt >two.svg
cmp one.svg two.svg && xmllint --noout one.svg && echo well-formed
grep -c "class=\"frame\"" one.svg
grep -o "live-bytes: [^<]*" one.svg
grep -A1 ">mm/slub.c$" one.svg | grep -o "^[^<]*"
grep -ciE "src=|href|url\(|@import" one.svg
true
