# The lines of ZPL's manual come out as they went in.
tally decode "$CASE_DIR/sample.txt"
