# SPDX-License-Identifier: Apache-2.0
# Names are equal or not; the last 63 bytes of long ones; bounds inclusive.
file=$CASE_DIR/../data/linux-7.3.4-load.txt
count() { tally allocinfo "$@" "$file" | tail -n +3 | wc -l; }
count --file=mm/slub.c
count --file=slub.c
count --function=alloc_slab_page
count --file=mm/slub.c --line=3347
count --module=
count --module=af_packet
count --module=af_pack
count --inaccurate
tally allocinfo --min-size=6045696 --max-size=6045696 "$file" | tail -n +3
{
    echo "allocinfo - version: 1.0"
    echo "#     <size>  <calls> <tag info>"
    echo "          -1        1 first/aaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbb.c:1 func:f "
    echo "           1        1 other/aaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbb.c:1 func:g "
} >long.txt
tally allocinfo --file=x/aaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbb.c long.txt | tail -n +3 | wc -l
tally allocinfo --min-size=2 long.txt | tail -n +3 | cut -d: -f3
