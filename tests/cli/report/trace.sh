# SPDX-License-Identifier: Apache-2.0
# Of a trace: its regions. The figures are those of make_trace.py: a saw, a line
# that rises by 3 bytes a second, and what stays.
"$PYTHON" "$CASE_DIR/../make_trace.py" --layout=3 --rounds=61 --grow=3 trace
tally report trace
