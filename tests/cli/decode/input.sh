tally decode - < "$CASE_DIR/sample.txt" | tail -n 1
head -n 3 "$CASE_DIR/sample.txt" | tally decode - | tail -n 1
