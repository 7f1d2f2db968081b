# SPDX-License-Identifier: Apache-2.0
# Texts as people keep them: other line ends, sorted, without header, cut, in a
# log.
row='       40960       10 mm/file map.c:1951 [ext4] func:get_folio '
printf 'allocinfo - version: 2.0\r\n#     <size>  <calls> <tag info>\r\n%s\r\n' \
    "$row" >cr.txt
printf '#     <size>  <calls> <tag info>\n%s\nallocinfo - version: 2.0\n' \
    "$row" >sorted.txt
printf '%s\n' "$row" >rows.txt
printf '%s\n   1 1 a.c:1 fu' "$row" >cut.txt
for kept in cr sorted rows cut; do
    echo "$kept:"
    tally allocinfo $kept.txt 2>&1
done
cat >oom.txt <<'END'
[   75.301336] Free swap  = 0kB
[   75.301337] Memory allocations (profiling is currently turned on):
[   75.301338]      11.0 MiB     2816 mm/slub.c:3061 func:alloc_slab_page
[   75.301339]      4.05 KiB        3 fs/file map.c:7 [ext4] func:f
[   75.301400] Out of memory: Killed process 1 (python3)
END
echo log:
tally allocinfo oom.txt 2>&1
tally report oom.txt
tally report --json oom.txt | grep -A3 allocinfo_notes
echo "title cut:"
printf 'locinfo - version: 1.0\n#     <size>  <calls> <tag info>\n%s\n' \
    "$row" >title.txt
tally report title.txt | sed -n '3,5p; /Accuracy/,$p'
