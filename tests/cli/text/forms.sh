# SPDX-License-Identifier: Apache-2.0
# Texts as people keep and send them: by real sort, numfmt, grep and tail, with
# prompts, blank lines, a byte order mark, and cut at every byte. Rows and sums
# are those of an independent reading.
# Half of a start under AddressSanitizer looks for leaks: other cases do.
export ASAN_OPTIONS=detect_leaks=0
"$PYTHON" -B "$CASE_DIR/forms.py" "$CASE_DIR/../data/linux-7.3.4-boot.txt" \
    "$CASE_DIR/../data/linux-7.3.4-load.txt"
