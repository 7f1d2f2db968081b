# SPDX-License-Identifier: Apache-2.0
# Nothing to draw is no error.
{
    echo "allocinfo - version: 1.0"
    echo "#     <size>  <calls> <tag info>"
} >kernel.txt
tally export --to svg kernel.txt | xmllint --noout - && echo well-formed
tally export --to folded kernel.txt
