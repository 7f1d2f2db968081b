# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# Recordings of real programs open in every viewer, with equal sums.
for reader in go heaptrack_print jq xmllint perl git redis-server redis-benchmark; do
    command -v $reader >/dev/null || {
        echo "SKIPPED: no $reader; scripts/install-deps test" >&2
        exit 77
    }
done
seq 1 3000 | sed 's/.*/{"id": &, "text": "number &"}/' | jq -s . >rows.json
{ echo "<rows>"; seq 1 3000 | sed 's/.*/<row id="&">number &<\/row>/'; echo "</rows>"; } >rows.xml
git init -q r
seq 1 3000 >r/numbers
git -C r add numbers
git -C r -c user.name=a -c user.email=a@b commit -qm one
echo "int f(int a, int *b) { while (a--) b[a] += b[a / 2]; return *b; }" >f.c

check() {
    basename "$1"
    tally record --quiet -o a.tally -- "$@" >/dev/null || echo "ended with $?"
    "$PYTHON" "$CASE_DIR/stacks_agree.py" a.tally | sed 1d
    tally export --to svg a.tally | xmllint --noout --huge -
    tally export --to speedscope a.tally |
        "$PYTHON" "$CASE_DIR/speedscope_rules.py" >rules || echo "against the rules"
    rm -rf a.tally a.tally.d
}

check jq -c 'map(.text | length)' rows.json
check xmllint --format rows.xml
check git -C r log -p --stat
check perl -e 'push @{$n{$_ % 97}}, "x" x $_ for 1 .. 3000'
check /usr/bin/python3 -I -c 'import json; json.dumps([{"id": i} for i in range(5000)])'
check "$(gcc -print-prog-name=cc1)" -quiet -O2 f.c -o f.s

load() {
    tries=0
    until redis-cli -s redis.sock ping || [ $tries -gt 300 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    redis-benchmark -s redis.sock -c 10 -n 5000 -r 1000 -q -t set,get,lpush
    redis-cli -s redis.sock shutdown nosave
}
load >load.log 2>&1 &
check redis-server --port 0 --unixsocket redis.sock --save "" --logfile redis.log
wait
