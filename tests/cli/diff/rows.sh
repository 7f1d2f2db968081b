# SPDX-License-Identifier: Apache-2.0
# Sums of one place, new and gone ones, negative numbers, marks.
head() {
    echo "allocinfo - version: 2.0"
    echo "#     <size>  <calls> <tag info>"
}
{
    head
    echo "         100        1 a.c:1 func:twice "
    echo "         100        1 a.c:1 func:twice "
    echo "         100        1 a.c:1 [m] func:twice "
    echo "          50        5 a.c:2 func:gone "
    echo "   -86241280 18446744073709530561 a.c:3 func:wrapped accurate:no "
    echo "           7        1 a.c:5 func:same "
    echo "          10        1 a.c:6 func:marked "
} >before.txt
{
    head
    echo "         150        1 a.c:1 func:twice "
    echo "         100        1 a.c:1 [m] func:twice "
    echo "         100        1 a.c:1 func:twice "
    echo "   -86241000 18446744073709530562 a.c:3 func:wrapped accurate:no "
    echo "        4096        1 a.c:4 func:new "
    echo "           7        1 a.c:5 func:same "
    echo "          30        1 a.c:6 func:marked accurate:no "
} >after.txt
tally diff before.txt after.txt
tally diff --sort=blocks --module= --function=twice before.txt after.txt
