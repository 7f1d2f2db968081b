# SPDX-License-Identifier: Apache-2.0
# Sources that it cannot serve, and addresses open to too many.
refused() {
    tally serve "$@"
    echo "status $?"
}
refused 127
refused --top=1001
refused --listen=127.0.0.1
refused --listen=127.0.0.1:65536
refused --listen=localhost:80
refused --listen=unix:
refused --listen=0.0.0.0:0
refused --listen=unix:no/folder
echo secret-of-16-characters >token
refused --token-file=token
chmod 600 token
for address in 0.0.0.0 192.0.2.1 127.0.0.2 '[::1]' ''; do
    refused --token-file=token "--listen=$address:0"
done
refused --tls-cert=token --tls-key token --token-file=token
refused --listen=0.0.0.0:0 --tls-key token
echo short >token
refused --token-file=token
refused --token-file=/dev/zero
echo mine >file
refused --listen=unix:file
cat file
