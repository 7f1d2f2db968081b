# SPDX-License-Identifier: Apache-2.0
# Options for call sites are refused, and options for regions with other
# sources.
cp "$CASE_DIR/../data/zpl-sample.txt" sample.txt
for option in --sort=live --top=3 --all --sum --debuginfod; do
    tally report $option sample.txt; echo "exit $?"
done
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
for option in --svg --elf=a.tally; do
    tally report $option a.tally; echo "exit $?"
done
tally report --elf=a.tally sample.txt; echo "exit $?"
tally allocinfo sample.txt; echo "exit $?"
