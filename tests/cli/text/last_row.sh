# SPDX-License-Identifier: Apache-2.0
# A last row without its newline is used, because its numbers are complete;
# numbers at its end are not. A message says if it is used, and what may be
# missing.
text() {
    printf 'allocinfo - version: 2.0\n#     <size>  <calls> <tag info>\n'
    printf '          10        1 a.c:1 func:f \n'
    printf "$1"
}
for last in '          20        2 b.c:2 func:g ' \
    '          20        2 b.c:2 func:g' \
    '          20        2 b.c:2 func:g\r' \
    '          20        2 b.c:2 func:g total_calls:9 total_bytes:99 ' \
    '          20        2 b.c:2 func:g total_calls:9 total_bytes:9' \
    '          20        2 b.c:2 fun' \
    '          2'; do
    echo "== $last"
    text "$last" >rows
    tally allocinfo rows 2>&1
    tally report rows | sed -n '/live bytes/p;/^Accuracy/,$p'
done
# A row alone is a text.
printf '20 2 b.c:2 func:g' | tally allocinfo - 2>&1
# Reading again helps no file that is complete.
tally top -n 2 -d 1 rows 2>&1 | grep -c again
text '          20        2 b.c:2 func:g' >rows
tally top -n 2 -d 1 rows 2>&1 | grep -c again
