# SPDX-License-Identifier: Apache-2.0
# To the byte.
{
    echo "allocinfo - version: 2.0"
    echo "#     <size>  <calls> <tag info>"
    echo "        4096        1 mm/a.c:7 func:f "
    echo "        1024        2 mm/a.c:7 func:f "
    echo "         512        3 mm/a.c:9 func:g accurate:no "
    echo "         256        4 drivers/x/y.c:1 [mod] func:f "
    echo "           0        0 mm/b.c:1 func:zero "
    echo "         -64 18446744073709551615 mm/b.c:2 func:below "
} >kernel.txt
tally export --to svg kernel.txt
