# SPDX-License-Identifier: Apache-2.0
# What it cannot serve, or would serve to too many.
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
refused --listen=0.0.0.0:0 --token-file=token
chmod 600 token
refused --tls-cert=token
refused --listen=192.0.2.1:0 --token-file=token --tls-cert=token --tls-key=none
chmod 644 token
refused --token-file=token
chmod 600 token
refused --listen=127.0.0.1:0 --token-file=token --tls-cert=token --tls-key=token
echo short >token
refused --token-file=token
refused --token-file=/dev/zero
echo mine >file
refused --listen=unix:file
cat file
