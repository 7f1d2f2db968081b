# SPDX-License-Identifier: Apache-2.0
# To the other version; pairs have no place in 1.0.
{
    echo "allocinfo - version: 2.0"
    echo "#     <size>  <calls> <tag info>"
    echo "       40960       10 mm/filemap.c:1951 func:f accurate:no later:x "
} >second.txt
{
    echo "allocinfo - version: 1.0"
    echo "#     <size>  <calls> <tag info>"
    echo "       40960       10 mm/filemap.c:1951 func:f "
} >first.txt
tally allocinfo --format=1.0 second.txt | cmp - first.txt && echo first
tally allocinfo --format=2.0 first.txt | sed 2q
tally allocinfo --totals first.txt
echo $?
tally allocinfo --totals --format=1.0 first.txt
echo $?
tally allocinfo --format=3.0 first.txt
echo $?
