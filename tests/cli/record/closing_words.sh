# SPDX-License-Identifier: Apache-2.0
# needs: recorder
tally record -o one.tally -- /bin/echo
tally record -o "odd name.tally" -- /bin/echo
tally record -o tree.tally -- /bin/sh -c '/bin/echo; (/bin/echo)'
printf '#!/usr/bin/env sh\nexit 5\n' >script
chmod +x script
tally record -o "a script" ./script
echo $?
tally report --full "a script.d"/*-1 | head -n 1
