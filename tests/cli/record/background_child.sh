# SPDX-License-Identifier: Apache-2.0
# needs: recorder
mkfifo hold
tally record --wait=first -o x.tally -- /bin/sh -c \
    '/usr/bin/python3 -c "open(\"ready\", \"w\"); open(\"hold\").read()" &
     while ! test -e ready; do sleep 0.1; done; echo done'
echo > hold
