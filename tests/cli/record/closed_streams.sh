# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# Standard streams that are closed stay so, and nothing of ours takes their
# place.
PROBE='for fd in /proc/$$/fd/*; do echo "${fd##*/}" >> "$0"; done'
/bin/sh -c "$PROBE" plain <&- >&- 2>&-
tally record -o a.tally -- /bin/sh -c "$PROBE" recorded <&- >&- 2>&-
cmp plain recorded && wc -l < recorded
ls
