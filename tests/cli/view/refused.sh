# SPDX-License-Identifier: Apache-2.0
# A request needs the token and our own host and origin, and only reads.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
tally view --listen=0.0.0.0:80 a.tally
echo "status $?"
tally view --listen=127.0.0.1:70000 a.tally
echo "status $?"
mkdir lib && : >lib/libmicrohttpd.so.12
LD_LIBRARY_PATH=$PWD/lib tally view a.tally
echo "status $?"
mkfifo address
tally view --no-browser a.tally >address &
server=$!
read -r url <address
host=$(echo "$url" | cut -d/ -f3)
ask() {
    what=$1
    shift
    echo "$what: $(curl -s -o answer -w '%{http_code} %{content_type}' "$@")"
}
ask page "$url"
grep -c "connect-src 'self'" answer
ask data "${url}data"
zcat answer | head -c 36
echo
ask "without the token" "http://$host/"
ask "another token" "http://$host/0123456789abcdef0123456789abcdef/data"
ask "another name" -H "Host: tally.example:80" "$url"
ask "another origin" -H "Origin: http://tally.example" "${url}data"
ask "our host by another scheme" -H "Origin: https://$host" "${url}data"
ask "our host at another port" -H "Origin: http://${host}1" "${url}data"
ask "our origin" -H "Origin: http://$host" "${url}data"
ask "a way out" --path-as-is "${url}../../etc/passwd"
ask "a change" -X POST -d x "${url}data"
curl -s "${url}events"
kill $server
wait $server
echo "status $?"
tally view --listen=unix:socket a.tally >address &
server=$!
read -r url <address
stat -c '%A %F' socket
ask "by a socket" --unix-socket socket "${url}data"
kill -INT $server
wait $server
echo "status $?"
ls socket
tally view nothing.tally
echo "status $?"
tally view --listen=unix:left nothing.tally
ls left
tally view --listen=unix: a.tally
echo "status $?"
