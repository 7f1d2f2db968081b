# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# SIGTERM ends each command that waits for a pipe, whichever argument, value of
# an option or name in a folder leads to it.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
printf '#m:0x20003240;0x600d-50\n#f:0x0;0x602f-0x20003240\n' >a.trace
"$PYTHON" -B "$CASE_DIR/pipes.py" "$TALLY" a.tally a.trace
# A name server that does not answer.
cat >slow.c <<'END'
#include <unistd.h>
int getaddrinfo(void) { return pause(); }
END
cc -shared -fPIC -o slow.so slow.c
LD_PRELOAD=$PWD/slow.so timeout -k 30 1 tally capture -o out tcp:somewhere:1
echo "capture: $?"
