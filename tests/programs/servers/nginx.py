# SPDX-License-Identifier: Apache-2.0
"""nginx with two workers, under curl, made to reload its settings."""

import os
import signal

from server import Server, client, serve

SETTINGS = """
worker_processes 2;
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  gzip on;
  gzip_types text/plain;
  server {{ listen 127.0.0.1:{port}; root {folder}/pages; }}
}}
"""


def ask(port, page, *options):
    return client(["curl", "-s", "-w", "%{http_code}", *options,
                   f"http://127.0.0.1:{port}/{page}"])


def job(wrap, folder, port):
    os.mkdir(os.path.join(folder, "pages"))
    os.chmod(folder, 0o755)
    os.chmod(os.path.dirname(folder), 0o755)
    with open(os.path.join(folder, "pages", "page.txt"), "w",
              encoding="utf-8") as file:
        file.write("a page\n" * 10000)
    settings = os.path.join(folder, "nginx.conf")
    with open(settings, "w", encoding="utf-8") as file:
        file.write(SETTINGS.format(folder=folder, port=port))
    server = Server(wrap(["/usr/sbin/nginx", "-c", settings, "-p", folder]),
                    port, folder)
    try:
        answers = [ask(port, "page.txt") for _ in range(10)]
        answers.append(ask(port, "page.txt", "--compressed"))
        answers.append(ask(port, "missing")[0])
        with open(os.path.join(folder, "pid"), encoding="utf-8") as file:
            os.kill(int(file.read()), signal.SIGHUP)
        answers += [ask(port, "page.txt") for _ in range(10)]
    finally:
        ended = server.stop(signal.SIGQUIT)
    return answers, ended


account, children = serve(job)
assert account.total("allocations") > 100, account.total("allocations")
assert len(children.reports) >= 2, len(children.reports)
assert not account.negative_rows() and not children.negative_rows()
