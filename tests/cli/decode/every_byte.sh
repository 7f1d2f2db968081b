# SPDX-License-Identifier: Apache-2.0
# sanitizers: fuzz.replay_trace_stream has the same input
"$PYTHON" "$CASE_DIR/every_byte.py"
