# SPDX-License-Identifier: Apache-2.0
# Peaks as seen, at least the bytes at the end, and at most the highest total.
$PYTHON $CASE_DIR/../make_ledger.py a.tally peaks
tally allocinfo --peaks a.tally
tally allocinfo --peaks --totals --rates a.tally | sed -n 3p
tally report --json a.tally | grep -oE '"(peak_bytes(_seen)?|bytes_live)":[ 0-9a-z]*'
