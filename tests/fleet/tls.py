# SPDX-License-Identifier: Apache-2.0
"""HTTPS in front of a server that speaks HTTP, on loopback.

    with Tls(folder, port) as tls:
        ask(f"https://localhost:{tls.port}/", trusting=tls.certificate)
"""

import os
import socket
import ssl
import subprocess
import threading


class Tls:
    def __init__(self, folder, port):
        self.behind = port
        self.certificate = os.path.join(folder, "certificate.pem")
        key = os.path.join(folder, "key.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
             "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out",
             self.certificate, "-subj", "/CN=localhost", "-addext",
             "subjectAltName=DNS:localhost", "-days", "2"], check=True,
            capture_output=True)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(self.certificate, key)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]

    def __enter__(self):
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(self, *unused):
        self.listener.close()

    def serve(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.work, args=[client],
                             daemon=True).start()

    def work(self, client):
        """Forward one request; the answer ends with the connection."""
        try:
            with self.context.wrap_socket(client, server_side=True) as secure:
                secure.settimeout(60)
                with socket.create_connection(
                        ("127.0.0.1", self.behind)) as server:
                    self.copy(secure, server)
        except OSError:
            client.close()

    @staticmethod
    def copy(secure, server):
        back = threading.Thread(target=Tls.pump, args=[server, secure],
                                daemon=True)
        back.start()
        Tls.pump(secure, server)
        back.join(60)

    @staticmethod
    def pump(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass
