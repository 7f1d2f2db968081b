# SPDX-License-Identifier: Apache-2.0
# Each view and tree of a sampled ledger has intervals; the peak is no view.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally sampled
tally report --leaks --top=1 a.tally | sed -n 1,5p
tally report --temporary a.tally | sed -n 1,7p
tally report --reverse --sort=total a.tally | sed -n 1,9p
tally report --callers=app+0x1500 --sort=total a.tally | sed -n 1,8p
tally top -n 1 a.tally | sed -n 1p
tally report --peak a.tally
tally export --to folded --value=peak-bytes a.tally
echo $?
