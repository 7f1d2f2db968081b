# SPDX-License-Identifier: Apache-2.0
# The regions of a trace. The figures are those of make_trace.py: a sawtooth, a
# line that rises by 3 bytes a second, and a constant.
"$PYTHON" "$CASE_DIR/../make_trace.py" --layout=3 --rounds=61 --grow=3 trace
tally report trace
