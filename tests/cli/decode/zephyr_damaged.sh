# SPDX-License-Identifier: Apache-2.0
# sanitizers: fuzz.replay_trace_stream has the same input
# A byte that is wrong takes events, or changes the one it is in: it makes none.
"$PYTHON" -B "$CASE_DIR/zephyr_damaged.py"
