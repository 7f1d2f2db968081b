# SPDX-License-Identifier: Apache-2.0
# Browsers and curl leave out the port that is the scheme's own. A network of
# its own has it free.
for tool in unshare ip curl; do
    command -v $tool >/dev/null || {
        echo "SKIPPED: no $tool; scripts/install-deps test" >&2
        exit 77
    }
done
unshare --map-root-user --net true 2>/dev/null || {
    echo 'SKIPPED: no network of our own; run it as root' >&2
    exit 77
}
cat >inside <<'END'
ip link set lo up
tally serve --listen=127.0.0.1:80 >address &
until [ -s address ] || ! kill -0 $!; do sleep 0.1; done
read -r address <address
echo "$address"
for host in 127.0.0.1 LocalHost 127.0.0.1:80 evil.example 127.0.0.1:81; do
    curl -s -o body -w "%{http_code} $host\n" -H "Host: $host" "$address"
done
curl -s -o body -w '%{http_code}\n' "$address"
kill -INT $!
wait $!
END
unshare --map-root-user --net sh inside
