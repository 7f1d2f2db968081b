# SPDX-License-Identifier: Apache-2.0
# Read the text with the commands in Linux's documentation.
tally allocinfo "$CASE_DIR/../data/linux-7.3.4-load.txt" |
    sort -g | tail | numfmt --to=iec
