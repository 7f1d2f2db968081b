# SPDX-License-Identifier: Apache-2.0
mkdir bin
cp "$TALLY" bin/
bin/tally record -- /bin/echo no 2>&1 | sed "s:$PWD:HERE:"
TALLY_RECORDER=/no/such.so tally record -- /bin/echo no
