# SPDX-License-Identifier: Apache-2.0
# needs: recorder
tally record -o one.tally -- /bin/echo
tally record -o "odd name.tally" -- /bin/echo
tally record -o tree.tally -- /bin/sh -c '/bin/echo; (/bin/echo)'
