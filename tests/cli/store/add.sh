# SPDX-License-Identifier: Apache-2.0
# Added ledgers become rows; a file that is no ledger, or has no time, does not
# stop the others.
export no_proxy=127.0.0.1
mkfifo port
mkdir ledgers
"$PYTHON" "$CASE_DIR/../make_ledger.py" ledgers/a.tally stacks
cp ledgers/a.tally ledgers/1970.tally
"$PYTHON" - <<END
import struct
with open("ledgers/a.tally", "r+b") as file:
    for place in (64, 88):  # its start and end
        file.seek(place)
        file.write(struct.pack("<Q", 1_700_000_000_000_000_000))
END
echo nonsense >ledgers/b.txt
mkdir ledgers/a.tally.d # a further process image of its recording
printf 'tally stacks 1\nimage\t/bin/x\t8\t%d\t%d\t1\n' \
    1700000000000000000 1700000001000000000 >ledgers/a.tally.d/8-1
mkfifo ledgers/a.tally.d/9-1
"$PYTHON" "$CASE_DIR/server.py" port 200 20.1 200 '' 200 '' 200 '' 200 '' \
    200 '' 200 '' 200 '' >asked &
server=$!
read -r number <port
tally store add --db=clickhouse://127.0.0.1:$number --host=h1 \
    --service-version=1.2 --label=zone=a ledgers
echo "status $?"
kill $server 2>/dev/null
wait $server 2>/dev/null
cat asked
tally store add --db=clickhouse://127.0.0.1:$number
echo "status $?"
tally store init --db=clickhouse://127.0.0.1:$number a.tally
echo "status $?"

# A server that answers an INSERT with a text, or is no ClickHouse, stores
# nothing.
printf 'tally stacks 1\nimage\t/bin/x\t7\t%d\t%d\t1\n' \
    1700000000000000000 1700000001000000000 >none.stacks
add() {
    file=$1
    shift
    "$PYTHON" "$CASE_DIR/server.py" port "$@" >asked &
    server=$!
    read -r number <port
    tally store add --db=clickhouse://127.0.0.1:$number $file
    echo "status $?"
    kill $server 2>/dev/null
    wait $server 2>/dev/null
    cat asked
}
add ledgers/a.tally 200 '20.1\n' 200 '' 200 '' 200 'Welcome!\n' \
    200 '' 200 '' 200 ''
add none.stacks 200 '20.1\n' 200 'Welcome!\n'
add none.stacks 200 '<html></html>\n'
add none.stacks 200 '20.1\n' 200 ''
