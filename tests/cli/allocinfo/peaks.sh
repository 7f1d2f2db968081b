# SPDX-License-Identifier: Apache-2.0
# What was seen, what there is at the end, and never more than there ever was.
$PYTHON $CASE_DIR/../make_ledger.py a.tally peaks
tally allocinfo --peaks a.tally
tally allocinfo --peaks --totals --rates a.tally | sed -n 3p
tally report --json a.tally | grep -oE '"(peak_bytes(_seen)?|bytes_live)":[ 0-9a-z]*'
