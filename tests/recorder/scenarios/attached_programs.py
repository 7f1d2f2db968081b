# SPDX-License-Identifier: Apache-2.0
"""tally attach and detach, repeatedly, in busy programs: no hang, no changed
reply, no crash."""

import glob
import http.client
import os
import random
import shutil
import signal
import socket
import subprocess
import threading
import time

from harness import scenario, watchdog
from harness.ports import free_port
from harness.scenario import Skip, equal, wait_until, write_file

CYCLES = int(os.environ.get("TALLY_ATTACH_CYCLES", "4"))
RESTLESS = ("calls", "exceptions", "threads", "crowd", "forks", "handlers",
            "loads", "execs")
# Forms of `restless` with an allocator inside.
INSIDE = [("calls", "jemalloc"), ("forks", "jemalloc"),
          ("threads", "tcmalloc_minimal"), ("handlers", "tcmalloc_minimal")]
SUMS = {
    "python3": ["-c", """
import sys, threading
def work():
    while True:
        words = [str(i) * 3 for i in range(300)]
        if len("".join(words)) != 2670: sys.exit("wrong")
for _ in range(3): threading.Thread(target=work, daemon=True).start()
sys.stdin.read()
"""],
    "node": ["-e", """
const work = () => { let all = [];
  for (let i = 0; i < 300; i++) all.push(Buffer.alloc(500, i % 256));
  for (let i = 0; i < 300; i++) if (all[i][499] !== i % 256) process.exit(3);
  setTimeout(work, 1); };
work(); process.stdin.on('end', () => process.exit(0)); process.stdin.resume();
"""],
}


class Load:
    """Sends requests to a server in a thread, and checks its answers."""

    def __init__(self, ask):
        self.ask = ask
        self.asked = 0
        self.wrong = None
        self.is_over = False
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.is_over and self.wrong is None:
            try:
                self.wrong = self.ask(self.asked)
            except OSError as error:
                self.wrong = repr(error)
            self.asked += 1

    def end(self):
        self.is_over = True
        self.thread.join(30)
        assert not self.thread.is_alive(), "a reply never came"
        equal("reply", None, self.wrong)
        assert self.asked > 0


def attach_and_detach(place, pid, seconds, may_fail, tries):
    file = place.file("ledger")
    attaching = subprocess.Popen(
        [place.recorder.tally, "attach", "-f", "-o", file, str(pid)],
        stderr=subprocess.PIPE, env=watchdog.clean_environment())
    line = attaching.stderr.readline().decode()
    if "attached to" in line:
        time.sleep(seconds)
        attaching.send_signal(signal.SIGINT)
    _, err = attaching.communicate(timeout=60)
    # When the CPUs are busy, a thread may stay inside the loader or the
    # recorder for longer than the limit.
    if line.endswith("; try again\n") and tries > 1:
        return attach_and_detach(place, pid, seconds, may_fail, tries - 1)
    assert may_fail or attaching.returncode == 0, line + err.decode()
    return "attached to" in line


def cycles(place, pid, may_fail=False, tries=1):
    chance = random.Random(7)
    for _ in range(CYCLES):
        is_done = attach_and_detach(place, pid, chance.random() * 0.1,
                                    may_fail, tries)
        if may_fail:
            continue
        assert is_done, "not attached"
        lost = place.recorder.report(place.file("ledger"))["lost"]
        equal("frees not seen", 0, lost["unseen_frees"])
        equal("lost", 0, lost["lost_allocations"] + lost["lost_frees"])


def can_connect(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def receive(connection, size):
    found = b""
    while len(found) < size:
        more = connection.recv(4096)
        if not more:
            break
        found += more
    return found


def at_work(place, program, status, load=None, pid=None, may_fail=False,
            ending=signal.SIGTERM, tries=1):
    """Test attaching and detaching while it runs, until it is told to end."""
    try:
        cycles(place, pid or program.pid, may_fail, tries)
        if load:
            load.end()
        equal("still runs", None, program.poll())
    finally:
        if load:
            load.is_over = True
        program.send_signal(ending)
        _, err = program.communicate(timeout=30)
    equal(f"status, {(err or b'').decode()}", status, program.returncode)


def restless(way, allocator=None):
    name = "_".join(filter(None, ("restless", allocator)))

    def step(place):
        if not os.path.exists(place.victim(name)):
            raise Skip(f"no lib{allocator}.a; scripts/install-deps test")
        program = subprocess.Popen([place.victim(name), way],
                                   stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, cwd=place.folder,
                                   env=watchdog.clean_environment())
        os.read(program.stdout.fileno(), 1)
        at_work(place, program, 5, may_fail=way == "execs",
                tries=4 if way == "loads" else 1)
    step.__name__ = f"{name} {way}"
    return step


def interpreter(name):
    def step(place):
        path = shutil.which(name, path="/usr/local/bin:/usr/bin:/bin")
        if path is None:
            raise Skip(f"no {name}; scripts/install-deps test")
        program = subprocess.Popen(
            [path, *SUMS[name]], stdin=subprocess.PIPE, stderr=subprocess.PIPE,
            cwd=place.folder, env=watchdog.clean_environment())
        time.sleep(0.3)
        at_work(place, program, -signal.SIGTERM)
    step.__name__ = name
    return step


def redis(place):
    port = free_port()
    program = subprocess.Popen(
        ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save",
         "", "--io-threads", "4", "--logfile", place.file("log")],
        cwd=place.folder, env=watchdog.clean_environment())
    wait_until(lambda: can_connect(port), "redis-server")
    connection = socket.create_connection(("127.0.0.1", port), 10)

    def ask(number):
        key, value = f"k{number % 1000}", "v" * (number % 700 + 1)
        connection.sendall(f"SET {key} {value}\r\nGET {key}\r\n".encode())
        wanted = f"+OK\r\n${len(value)}\r\n{value}\r\n".encode()
        found = receive(connection, len(wanted))
        return None if found == wanted else f"{number}: {found!r}"

    at_work(place, program, 0, Load(ask))
    connection.close()


def nginx(place):
    port = free_port()
    write_file(place.file("page"), "x" * 5000)
    write_file(place.file("conf"), f"""
daemon off; worker_processes 1; pid {place.file('pid')}; error_log stderr;
events {{ worker_connections 64; }}
http {{ access_log off; gzip on; gzip_types *; server {{
    listen 127.0.0.1:{port}; root {place.folder}; }} }}
""")
    os.chmod(place.folder, 0o755)
    program = subprocess.Popen(
        ["/usr/sbin/nginx", "-e", place.file("errors"), "-p", place.folder,
         "-c", place.file("conf")], cwd=place.folder,
        env=watchdog.clean_environment())
    wait_until(lambda: can_connect(port), "nginx")
    children = f"/proc/{program.pid}/task/{program.pid}/children"

    def workers():
        with open(children, encoding="ascii") as file:
            return file.read().split()

    wait_until(workers, "a worker")
    worker = workers()[0]

    def ask(number):
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        client.request("GET", "/page")
        reply = client.getresponse()
        found = reply.status, len(reply.read())
        client.close()
        return None if found == (200, 5000) else f"{number}: {found}"

    at_work(place, program, 0, Load(ask), worker)


def memcached(place):
    port = free_port()
    program = subprocess.Popen(
        ["memcached", "-u", "nobody", "-l", "127.0.0.1", "-p", str(port), "-U",
         "0", "-m", "64"], env=watchdog.clean_environment())
    wait_until(lambda: can_connect(port), "memcached")
    connection = socket.create_connection(("127.0.0.1", port), 10)

    def ask(number):
        value = "v" * (number % 900 + 1)
        connection.sendall(f"set k{number % 500} 0 0 {len(value)}\r\n{value}"
                           f"\r\nget k{number % 500}\r\n".encode())
        wanted = (f"STORED\r\nVALUE k{number % 500} 0 {len(value)}\r\n{value}"
                  "\r\nEND\r\n").encode()
        found = receive(connection, len(wanted))
        return None if found == wanted else f"{number}: {found!r}"

    at_work(place, program, 0, Load(ask))
    connection.close()


JAVA = """
import java.util.*;
public class Work {
    public static void main(String[] none) throws Exception {
        for (int t = 0; t < 4; t++) {
            Thread thread = new Thread(() -> { while (true) {
                Map<Integer, String> map = new HashMap<>();
                for (int i = 0; i < 500; i++) map.put(i, "x" + i);
                if (map.size() != 500) System.exit(3); } });
            thread.setDaemon(true);
            thread.start();
        }
        Thread.sleep(1000000);
    }
}
"""


def java(place):
    write_file(place.file("Work.java"), JAVA)
    program = subprocess.Popen(
        ["java", place.file("Work.java")], stderr=subprocess.PIPE,
        cwd=place.folder, env=watchdog.clean_environment())
    time.sleep(3)
    at_work(place, program, 143, tries=4)


def postgres(place):
    """Test a backend that sums the same rows repeatedly."""
    data, port = place.file("data"), free_port()
    folder = next(iter(glob.glob("/usr/lib/postgresql/*/bin")))
    os.chmod(place.folder, 0o777)
    as_user = ["setpriv", "--reuid=postgres", "--regid=postgres",
               "--clear-groups"] if os.getuid() == 0 else []
    equal("initdb", 0, watchdog.run(
        [*as_user, f"{folder}/initdb", "-D", data]).status)
    program = subprocess.Popen(
        [*as_user, f"{folder}/postgres", "-D", data, "-p", str(port), "-k",
         place.folder, "-c", "listen_addresses=127.0.0.1"],
        stderr=subprocess.DEVNULL, env=watchdog.clean_environment())
    wait_until(lambda: watchdog.run(
        [f"{folder}/pg_isready", "-q", "-h", "127.0.0.1", "-p",
         str(port)]).status == 0, "postgres")
    client = subprocess.Popen(
        [*as_user, f"{folder}/psql", "-h", "127.0.0.1", "-p", str(port), "-At",
         "postgres"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def one(statement):
        client.stdin.write(statement.encode() + b";\n")
        client.stdin.flush()
        return client.stdout.readline().decode().strip()

    backend = one("SELECT pg_backend_pid()")

    def ask(number):
        found = one("SELECT count(DISTINCT md5(i::text)) "
                    "FROM generate_series(1, 2000) i")
        return None if found == "2000" else f"{number}: {found}"

    at_work(place, program, 0, Load(ask), backend, ending=signal.SIGINT)
    client.communicate(timeout=30)


SOAK = ()
if "TALLY_SOAK" in os.environ:
    INSIDE = [(way, allocator) for way in RESTLESS
              for allocator in ("jemalloc", "tcmalloc", "tcmalloc_minimal")]
    SOAK = memcached, java, postgres

scenario.main(*map(restless, RESTLESS), *(restless(*of) for of in INSIDE),
              *map(interpreter, SUMS), redis, nginx, *SOAK)
