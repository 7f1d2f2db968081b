# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# The program keeps its limit; the ledger is not bound by it.
ulimit -S -f 10
tally record -q -o a.tally -- /bin/sh -c 'ulimit -S -f; ulimit -H -f'
ls
