# SPDX-License-Identifier: Apache-2.0
# The gate and the rows that changed, for reviews.
head() {
    echo "allocinfo - version: 2.0"
    echo "#     <size>  <calls> <tag info>"
}
{
    head
    echo "         100        1 a.c:1 func:same|x "
    echo "          50        5 a.c:2 func:gone "
    echo "        1000        2 a.c:3 func:grows "
} >before.txt
{
    head
    echo "         100        1 a.c:1 func:same|x "
    echo "        3000        4 a.c:3 func:grows "
    echo "         500        1 b.c:4 func:new<i>|%0A "
} >after.txt
for form in markdown github junit; do
    echo "-- $form"
    tally diff --fail-over=5 --format=$form before.txt after.txt
    echo "$?"
done
tally diff --format=junit --value=blocks before.txt after.txt >out.xml
"$PYTHON" -c '
import xml.etree.ElementTree as tree
suite = tree.parse("out.xml").getroot()[0]
print(suite.attrib, suite[0].attrib, suite.find("system-out").text)'
tally diff --format=json before.txt after.txt >one.json
tally diff --json before.txt after.txt | cmp - one.json
tally diff --format=github --fail-over=1000 before.txt after.txt
echo "-- regions"
printf 'zpl_memory_event heap (0x2000) %sB %sB 0\n' 40 60 10 90 >before.txt
printf 'zpl_memory_event heap (0x2000) %sB %sB 0\n' 40 60 30 70 >after.txt
for form in markdown github junit; do
    tally diff --fail-over=5 --format=$form before.txt after.txt
    echo "$?"
done
tally diff --format=markdown before.txt after.txt | sed -n '2p;6,7p'
