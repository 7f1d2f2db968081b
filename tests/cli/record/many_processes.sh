# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# Ended images return their memory and lose nothing: all together would take
# more than 72,000,000 bytes.
tally record -q -o x.tally -- /bin/sh -c '
    i=0
    while [ $i -lt 3000 ]; do /bin/echo; i=$((i + 1)); done > /dev/null
    tries=0
    while [ $tries -lt 100 ]; do
        held=$(($(stat -L -c %b "${TALLY_SESSION%:*}") * 512))
        [ $held -lt 48000000 ] && break
        sleep 0.1
        tries=$((tries + 1))
    done
    [ $held -lt 48000000 ] && echo given back || echo "held: $held"'
[ "$(ls x.tally.d | wc -l)" -ge 3000 ] && echo all written
for ledger in $(ls -d x.tally.d/* | sed -n '1p;1000p;3000p'); do
    tally report --json "$ledger" | grep -c '^    "allocations": [1-9]'
done
