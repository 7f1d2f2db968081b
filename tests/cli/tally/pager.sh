# SPDX-License-Identifier: Apache-2.0
# Output longer than the terminal goes through $PAGER, once.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
on_terminal() { "$PYTHON" "$CASE_DIR/pager.py" "$@"; }
long="tally report --full a.tally"
on_terminal "sed s/^/P:/" $long
on_terminal "sed s/^/P:/" tally diff a.tally a.tally
echo "== not: asked not to, cat, none, no such pager"
on_terminal "sed s/^/P:/" tally --no-pager report --full a.tally
on_terminal "sed s/^/P:/" $long --no-pager
on_terminal cat $long
on_terminal "" $long
on_terminal no-such-pager $long
on_terminal "no-such-pager -R" $long 2>&1 | sed 's/.*no-such.*/SH/'
on_terminal "sed s/^/P:/" sh -c "$long >/dev/null; echo redirected"
echo "== the default"
mkdir bin
printf '#!/bin/sh\necho "less, $LESS"\ncat\n' >bin/less
chmod +x bin/less
PATH=$PWD/bin:$PATH on_terminal - $long
PATH=$PWD/bin:$PATH LESS=R on_terminal - $long
echo "== quit early, interrupted, and colours"
on_terminal true $long
INTERRUPT=1 on_terminal "sleep 20" $long
on_terminal "grep -m2 LIVE" $long --color=auto
on_terminal "sed s/^/P:/" tally report --full gone.tally
