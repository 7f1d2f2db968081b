# SPDX-License-Identifier: Apache-2.0
# A line that is no row is found.
{
    echo 'allocinfo - version: 2.0'
    echo '#     <size>  <calls> <tag info>'
    echo '       40960       10 mm/filemap.c:1951 func:__filemap_get_folio '
    echo '   -86241280 18446744073709530561 fs/a.c:7 [ext4] func:f accurate:no '
    echo '           0        0 fs/a.c:7 [ext4] func:f '
} >kernel.txt
echo 'and more' >>kernel.txt
tally allocinfo kernel.txt
