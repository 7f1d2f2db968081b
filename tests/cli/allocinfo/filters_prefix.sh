# SPDX-License-Identifier: Apache-2.0
# A star at the end of a name, and sizes with units.
{
    echo '        4096       10 mm/a.c:1 func:kmalloc_a '
    echo '     1048576       10 mm/b.c:2 [ext4] func:kmalloc_b '
    echo '  3221225472       10 fs/mm/c.c:3 [ext3] func:vmalloc_c '
} >kernel.txt
for filter in '--file=mm/*' '--function=kmalloc*' '--module=ext*' '--module=*' \
    '--min-size=4K' '--min-size=1M' '--max-size=3G --min-size=2G' \
    '--max-size=4095'; do
    echo "$filter:"
    tally allocinfo $filter kernel.txt | tail -n +3
done
