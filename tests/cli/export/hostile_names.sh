# SPDX-License-Identifier: Apache-2.0
# No name breaks a line up, or the XML.
{
    echo "allocinfo - version: 1.0"
    echo "#     <size>  <calls> <tag info>"
    printf "        4096        1 <a>&\"b;c.c:7 func:\047]]>\\177\\377\\357\\277\\277 \n"
} >kernel.txt
tally export --to folded kernel.txt | cat -v
tally export --to svg kernel.txt >out.svg
xmllint --noout out.svg && xmllint --xpath "//*[local-name()='title']/text()" out.svg
