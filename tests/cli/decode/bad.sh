tally decode; echo "exit $?"
tally decode a b; echo "exit $?"
tally decode --what a; echo "exit $?"
cp "$CASE_DIR/sample.txt" .
tally decode --elf=missing sample.txt; echo "exit $?"
tally decode --elf=sample.txt sample.txt; echo "exit $?"
