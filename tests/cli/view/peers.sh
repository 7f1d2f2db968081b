# SPDX-License-Identifier: Apache-2.0
# Another user who gets to the socket is refused, with the right address as well.
[ "$(id -u)" = 0 ] || {
    echo "SKIPPED: only root can be another user; run it as root" >&2
    exit 77
}
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
folder=$(mktemp -d)
mkfifo address
tally view --listen="unix:$folder/socket" a.tally >address &
server=$!
read -r url <address
chmod 755 "$folder"
chmod 666 "$folder/socket"
ask() {
    "$@" curl -s -o /dev/null -w '%{http_code}\n' \
        --unix-socket "$folder/socket" "${url}data"
}
echo "this user: $(ask env)"
echo "another one: $(ask setpriv --reuid=65534 --regid=65534 --clear-groups)"
kill $server
wait $server
rmdir "$folder"
