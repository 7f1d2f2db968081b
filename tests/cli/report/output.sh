# SPDX-License-Identifier: Apache-2.0
# -o writes what standard output would have; a failure leaves no file.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally history
try() {
    tally report "$@"
    echo "$?: $(ls)"
}
for options in "" --full --json --format=markdown --between=0.1,0.5; do
    tally report $options -o out a.tally
    tally report $options a.tally | cmp - out
    rm out
done
try -o out a.tally | tail -n 1
try --leaks --output=out a.tally
try --leaks --force -o out a.tally
grep -c 'OF BLOCKS' out
try -f -o a.tally a.tally
try -f -o out nosuch
try -o out --callers=nosuch a.tally
try -o nosuch/out a.tally
try -f a.tally
tally report --json -o - a.tally | head -n 1
