# SPDX-License-Identifier: Apache-2.0
# Lost records are reported at once, and by the report; with --quiet by the
# report only.
# needs: recorder
TALLY_RECORDER=$BUILD_DIR/few/lib/libtally-record.so
export TALLY_RECORDER
program=$BUILD_DIR/tests/recorder/bin/many_stacks
tally record -o a.tally -- $program 10000
tally report --full a.tally | grep 'table of stacks'
tally record -q -o b.tally -- $program 10000
