# SPDX-License-Identifier: Apache-2.0
# Without a header too, a first row that is none and no row's end is named.
for text in 'odd words\n' '40x 1 a.c:1 func:f \n' '1 1 a.c func:f \n' \
    'func:f and more \n'; do
    printf "$text"'1 1 a.c:1 func:f \n' >rows
    for command in allocinfo report "top -n 1" "diff rows" "export --to svg"; do
        tally $command rows
        [ $? = 2 ] || echo "$command: not 2"
    done
done
printf 'odd\n' >rows
tally report rows
