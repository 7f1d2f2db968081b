# SPDX-License-Identifier: Apache-2.0
# A text with any deviation is refused whole, with one line, by each command.
# Half of a start under AddressSanitizer looks for leaks: other cases do.
export ASAN_OPTIONS=detect_leaks=0
$PYTHON -B "$CASE_DIR/odd_texts.py" refused
try() {
    "$@" >out 2>err
    [ $? = 2 ] || echo "$*: not 2"
    [ -s out ] && echo "$*: printed something"
    [ "$(wc -l <err)" = 1 ] || echo "$*: not one line"
    # Each says the same of it.
    cmp -s err first || cat err
}
for name in $(ls); do
    tally allocinfo "$name" 2>first
    cat first
    try tally allocinfo --sum "$name"
    try tally allocinfo --min-size=1 "$name"
    try tally report "$name"
    try tally report --json "$name"
    try tally diff "$name" "$name"
    try tally export --to folded "$name"
    try tally export --to svg "$name"
    try tally top -n 1 "$name"
done
