# SPDX-License-Identifier: Apache-2.0
# Lines may end as on an old Macintosh, in carriage returns alone.
sed 's/_$/ /' >unix <<'END'
allocinfo - version: 2.0
#     <size>  <calls> <tag info>
       40960       10 mm/filemap.c:1951 func:get_folio_
        -128        2 fs/a b.c:7 [ext4] func:f accurate:no_
END
for rows in 1 2 3; do
    tail -n +$rows unix | tr '\n' '\r' >mac
    tally allocinfo mac | cmp - unix && echo same
    tally report mac | grep "live bytes"
done
# A line longer than the first look.
for i in 1 2 3 4 5 6 7 8 9 10; do tail -q -n +3 unix unix unix unix; done >more
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do cat more; done >most
head -n 2 unix | cat - most | tr '\n' '\r' >mac
wc -c <mac
tally report mac | grep "live bytes"
