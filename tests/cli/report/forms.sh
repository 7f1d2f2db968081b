# SPDX-License-Identifier: Apache-2.0
# Findings and rows where reviews happen, of traces of regions, too.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally leaking
for form in markdown github junit; do
    tally report --top=2 --format=$form a.tally >$form
    cat $form
done
xmllint --noout junit
tally report --format=json a.tally >json
tally report --json a.tally | cmp - json
tally report --format=xml a.tally
echo "status $?"
tally report --format=markdown "$CASE_DIR/../data/zpl-sample.txt"
echo "status $?"
# A rise is a finding.
for used in 10 20 30 40 50 60 70 80; do
    echo "zpl_memory_event heap (0x2000) ${used}B $((100 - used))B 0"
done >rising.txt
for form in github junit; do
    tally report --format=$form rising.txt
done
tally report --format=json rising.txt | grep -c '"trend": "rising"'
