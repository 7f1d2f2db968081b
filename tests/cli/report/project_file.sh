# SPDX-License-Identifier: Apache-2.0
# .tally.yaml hides and focuses as options do, from here up to HOME.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
"$PYTHON" "$CASE_DIR/../make_ledger.py" b.tally stacks_later
mkdir -p outer/inner
rows() {
    tally "$@" --json ../../a.tally |
        "$PYTHON" -c 'import sys
from harness import stack_tables
for row in stack_tables.load(sys.stdin)["sites"]:
    print(row["bytes_live"], row["folded"],
          row["stack"][row["folded"]]["address"])'
}
cd outer/inner
echo "-- without"
rows report
echo "hide: ['libread*']" >../../.tally.yaml
echo "-- hidden"
rows report
echo "-- and by an option"
rows report --focus='libread*'
echo "-- nothing"
rows report --leaf
echo "-- the nearest one"
printf 'focus:\n  - "libread*"\n' >../.tally.yaml
rows report
echo "-- others"
tally diff ../../a.tally ../../b.tally | sed -n '/^Changed/,$p' | head -4
printf 'rules: [peak <= 1 KiB]\n' >tally.budget.yaml
printf 'hide: ["libread*"]\nfocus: [nothing]\n' >.tally.yaml
tally check ../../a.tally
tally report --top=1 ../../a.tally | sed -n '3,4p'
echo "-- not above HOME"
rm .tally.yaml
HOME=$PWD rows report
echo "-- what is no regular file"
rm ../.tally.yaml ../../.tally.yaml
mkfifo .tally.yaml
rows report --top=1
rm .tally.yaml
ln -s /proc/kmsg .tally.yaml
rows report --top=1
echo "hide: ['libread*']" >../own.yaml
ln -sf ../own.yaml .tally.yaml
rows report --top=1
rm .tally.yaml
echo "-- what others may write"
echo "hide: ['libread*']" >.tally.yaml
chmod 666 .tally.yaml
rows report --top=1
chmod 664 .tally.yaml
rows report --top=1
chmod 777 .
rows report --top=1
chmod 1777 .
rows report --top=1
chmod 775 .
rows report --top=1
for text in 'hide: pool' 'hide: [{a: b}]' 'a: [b]' '- a' 'hide: [' '' \
    'hide: *a' 'hide: [*a]' 'focus: ["a\0b"]'; do
    printf '%s' "$text" >.tally.yaml
    tally report ../../a.tally >/dev/null
    echo $?
done
"$PYTHON" -c 'print("hide: [" + "a," * 65 + "]")' >.tally.yaml
tally report ../../a.tally >/dev/null
echo $?
