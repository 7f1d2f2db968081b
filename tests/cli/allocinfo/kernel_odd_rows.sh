# SPDX-License-Identifier: Apache-2.0
# Odd widths, negative bytes, wrapped calls and unknown pairs.
{
    echo "allocinfo - version: 2.0"
    echo "#     <size>  <calls> <tag info>"
    echo "1 2 a.c:1 func:f "
    echo "                  -1                 18446744073709551615 a.c:1 func:f nid0:7 accurate:no : "
    echo "-9223372036854775808 9223372036854775808 drivers/../b:c.c:18446744073709551615 [m] func:g later: "
} >kernel.txt
tally allocinfo kernel.txt | cmp - kernel.txt && echo same
tally allocinfo --format=1.0 kernel.txt
tally allocinfo --sum kernel.txt || sed -i 5d kernel.txt
tally allocinfo --sum kernel.txt
