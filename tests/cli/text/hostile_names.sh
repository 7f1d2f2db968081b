# SPDX-License-Identifier: Apache-2.0
# Names that forge records, steer a terminal or turn text round, in every
# command, form and exporter.
# Half of a start under AddressSanitizer looks for leaks: other cases do.
export ASAN_OPTIONS=detect_leaks=0
"$PYTHON" "$CASE_DIR/hostile_names.py" files
