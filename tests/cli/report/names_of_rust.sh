# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# The first row is the line of the program that allocated, whatever of Rust's
# library lies between.
rustc --version >version 2>&1 || {
    echo 'SKIPPED: no rustc; scripts/install-deps test' >&2
    exit 77
}
for options in '' -O '-O -C symbol-mangling-version=v0'; do
    echo "-- $options"
    "$PYTHON" -B "$CASE_DIR/names.py" "$CASE_DIR/names.rs" \
        rustc -g $options -o planted "$CASE_DIR/names.rs"
done
