# SPDX-License-Identifier: Apache-2.0
# Members that the kernel lacks are null.
{
    echo "allocinfo - version: 2.0"
    echo "#     <size>  <calls> <tag info>"
    echo "       40960       10 mm/filemap.c:1951 func:__filemap_get_folio "
    echo "   -86241280 18446744073709530561 fs/a.c:7 [ext4] func:f accurate:no "
    echo "         100        1 fs/a.c:7 [ext4] func:f later:x "
    echo "         300        3 fs/a.c:7 func:f "
} >kernel.txt
tally report --json --top=2 --sort=file kernel.txt
