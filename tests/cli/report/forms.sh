# SPDX-License-Identifier: Apache-2.0
# Findings and rows where reviews happen.
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
