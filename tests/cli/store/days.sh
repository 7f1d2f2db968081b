# SPDX-License-Identifier: Apache-2.0
# Rows of 100 days go together, for a server takes no more partitions at once.
export no_proxy=127.0.0.1
mkfifo port
mkdir ledgers
"$PYTHON" - <<'END'
for number in range(202):  # two of each day
    start = 1_700_000_000 + number // 2 * 86400 + number % 2
    with open(f"ledgers/{number:03}.stacks", "w", encoding="ascii") as file:
        file.write(f"tally stacks 1\nimage\t/bin/x\t{number + 1}\t"
                   f"{start}000000000\t{start + 1}000000000\t1\nstack\theap\t[]\t[]\t"
                   "['abab']\t[16]\t1\t8\t1\t8\t0\t0\n")
END
"$PYTHON" "$CASE_DIR/server.py" port 200 20.1 200 '' 200 '' 200 '' 200 '' \
    200 '' 200 '' 200 '' 200 '' >asked &
server=$!
read -r number <port
tally store add --db=clickhouse://127.0.0.1:$number ledgers
echo "status $?"
kill $server 2>/dev/null
wait $server 2>/dev/null
cat asked
