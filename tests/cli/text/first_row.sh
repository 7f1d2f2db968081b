# SPDX-License-Identifier: Apache-2.0
# Without a header too, a first row that is none is named.
for text in 'odd\n' '40x 1 a.c:1 func:f \n' '\n' '\357\273\2771 1 a.c:1 func:g \n'; do
    printf "$text"'1 1 a.c:1 func:f \n' >rows
    for command in allocinfo report "top -n 1" "diff rows" "export --to svg"; do
        tally $command rows
        [ $? = 2 ] || echo "$command: not 2"
    done
done
printf 'odd\n' >rows
tally report rows
