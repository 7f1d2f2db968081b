# SPDX-License-Identifier: Apache-2.0
# Tables, what is older than --keep, and from 20 on the servers' time-to-live,
# which is that of the last --keep.
export no_proxy=127.0.0.1
mkfifo port
init() {
    "$PYTHON" "$CASE_DIR/server.py" port "$@" >asked &
    server=$!
    read -r number <port
    tally store init --db=clickhouse://127.0.0.1:$number/fleet --keep=40
    echo "status $?"
    wait $server
    cat asked
}
init 200 '24.8\n' 200 '' 200 '' 200 '' 200 '202601\n202602\n' 200 '' 200 '' \
    200 '' 200 '' 200 '' 200 '' 200 '' 200 '' 200 ''
init 200 '18.16\n' 200 '' 200 '' 200 '' 200 '' 200 '' 200 '20261001\n' 200 '' \
    200 '' 200 ''
