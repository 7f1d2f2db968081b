# SPDX-License-Identifier: Apache-2.0
# A trace of a program says what the ledger of the same run says: allocations,
# bytes, leaks and each site, and the peak within 1 %; as text and as CTF.
# needs: recorder
gcc -O1 -pthread -o moving_threads "$CASE_DIR/moving_threads.c"
export MALLOC_ARENA_MAX=1
"$PYTHON" "$CASE_DIR/calls_recorded.py"
