# SPDX-License-Identifier: Apache-2.0
# Answers are shown safely, or refused in one line.
export no_proxy=127.0.0.1
mkfifo port
ask() {
    "$PYTHON" "$CASE_DIR/server.py" port "$@" >asked &
    server=$!
    read -r number <port
    tally store $command --db=clickhouse://127.0.0.1:$number/fleet
    echo "status $?"
    wait $server
    sed 's/toDateTime([0-9]*)/toDateTime(T)/g' asked
}
command="top --service=o'r\\ne"
ask 200 '20.1.2.3\n' 200 '8192\t2\t9000\t1\t1\tw\x1b[31m"eb\t[9e6,90,1e7,5000,2,6000,3]\n0\t0\t0\t1\t1\texact\t[0,0,0,0,0,0,0]\n0\t0\t0\t1\t1\tfreed\t[0,0,0,0,0,0,1]\n' \
    200 '3\t2\t1\t4096\n'
command="top --by=host --format=csv"
ask 200 '20.1\n' 200 '-1\t2\t9000\t1\t1\ta"b\n' 200 '1\t1\t1\t4096\n'
command="top --by=host --format=json"
ask 200 '18.16\n' 200 '' 200 '2000\t0\t3\t0\n'
command="top --by=stack --top=1"
ask 200 '20.1\n' 200 '64\t2\t64\t1\t1\t18446744073709551615\n' \
    200 "names\tab\t16\t/bin/p\t['f']\t['dir/a.c']\t[7]\n" \
    200 "stack\theap\t[]\t[]\t['ab']\t[16]\t0\t0\t0\t18446744073709551615\t0\t18446744073709551615\n" \
    200 '2\t0\t1\t0\n'
ask 200 '20.1\n' 200 '' 200 '2\t\n'
ask 200 '20.1\n' 200 'what\n'
ask 200 'x\n'
ask 200 ''
ask 302 ''
ask 404 'nothing\nhere\n'
ask 403 'Code: 516, e.displayText() = DB::Exception: who\x1b are you?, e.what() = DB::Exception\n'
ask 403 'Code: 516. DB::Exception: who are you? (FAILED) (version 24)\n'
command="top --by=host --top=1"
ask 200 '20.1\n' 200 '1\t2\t3\t1\t1\ta\n1\t2\t3\t1\t1\tb\n'
echo before >all.stacks
tally store report --db=clickhouse://127.0.0.1:1/fleet -o all.stacks
command="report -f -o all.stacks" # half of it, then not
ask 200 '20.1\n' 200 '1\t0\t1\t0\n' 200 '' \
    200 "stack\\theap\\t[]\\t[]\\t[]\\t[]\\t1\\t1\\t1\\t1\\t0\\t0\nCode: 241, e.displayText()\n"
cat all.stacks
rm all.stacks
command="diff --service=a"
ask 200 '20.1\n' 200 '0\n'
command="diff --service=a --since=1d"
ask 200 '20.1\n' 200 '0\n'
command="diff --service=a --format=json" # one process, at both times
ask 200 '20.1\n' 200 '1\n' \
    200 '90000\t100000\t190000\t1\ta\t16\t[10000,4e7,100000,4e8]\n' \
    200 '' 200 '' 200 '1\t1\t1\t4096\n'
command="diff --label=zone=a --from-version=1 --to-version=2"
ask 200 '20.1\n' 200 '1\n' \
    200 '-5\t6\t1\t1\tweb\t18446744073709551615\n' 200 '' 200 '' 200 '2\t0\t1\t0\n'
