# SPDX-License-Identifier: Apache-2.0
# A line that begins or ends as a row and is none is named, not passed over.
title='[    1.0] Memory allocations (profiling is currently turned on):'
row='[    1.0]      1.00 KiB        1 fs/a.c:7 func:f'
for line in '11.0 MiB     2816 mm/slub.c:3061' \
    '11.0 MiB     2816 mm/slub.c:3061 func:' \
    '11.0 MiB     2816 mm/slub.c func:f' \
    '11.0 XiB     2816 mm/slub.c:3061 func:f' \
    '9999 EiB     2816 mm/slub.c:3061 func:f' \
    '11264     2816 mm/slub.c:3061 func:f' \
    '11.0 MiB     2816 mm/slub.c:3061 func:f and more'; do
    printf '%s\n' "$title" "$row" "[    1.0]      $line" "$row" >log
    tally report log
    [ $? = 2 ] || echo "not refused: $line"
    tally allocinfo log 2>/dev/null
done
