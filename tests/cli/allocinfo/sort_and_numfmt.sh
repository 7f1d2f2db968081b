# SPDX-License-Identifier: Apache-2.0
# As the documentation of Linux reads its file.
tally allocinfo "$CASE_DIR/../data/linux-7.3.4-load.txt" |
    sort -g | tail | numfmt --to=iec
