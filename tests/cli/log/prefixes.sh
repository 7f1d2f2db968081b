# SPDX-License-Identifier: Apache-2.0
# Whatever writes a log has words of its own before each line, and line ends.
title='Memory allocations (profiling is currently turned on):'
early='Memory allocations:'
try() {
    for text in "$title" "$early"; do
        for end in '\n' '\r\n' '\r'; do
            printf "%s%s$end%s%s$end%s%s$end%s%s$end" "$1" "$text" \
                "$1" '    1023 KiB        2 fs/a b.c:7 [ext4] func:f' \
                "$1" 'other words' \
                "$1" '       336 B        7 kernel/fork.c:1 func:dup' >log
            tally allocinfo log 2>err >out || cat err
            cmp -s out first || { echo "$1$text$end"; cat out; }
            grep -c ' 1 other message ' err
        done
    done | sort | uniq -c
    echo "$1"
}
sed 's/_$/ /' >first <<'END'
allocinfo - version: 2.0
#     <size>  <calls> <tag info>
     1047552        2 fs/a_b.c:7 [ext4] func:f_
         336        7 kernel/fork.c:1 func:dup_
END
try ''
try '[   75.301338] '
try '[   75.301338][  T123] '
try '<5>[   75.301338] '
try '[Sun Nov 22 12:00:00 2026] '
try '[  +0.000001] '
try '[Nov22 12:00] '
try 'kern  :notice: [   75.301338] '
try 'Nov 22 12:00:00 host kernel: '
try 'Nov 22 12:00:00 host.example.org kernel: [   75.301338] '
try '2026-11-22T12:00:00.123456+00:00 host kernel[0]: '
try '5,1234,75301338,-;'
