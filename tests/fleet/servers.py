# SPDX-License-Identifier: Apache-2.0
"""Two ClickHouse servers, replicas or shards, and ZooKeeper, on loopback.

    with Servers(folder) as servers:
        servers.ask(0, "SELECT 1")
        servers.kill(1)
        servers.start(1)

They have folders and ports of their own; each is ended by its PID. Shards have
clocks whose days are never the same.
"""

import glob
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time

from programs import WAIT, Programs, get

CLUSTER = "fleet"
COUNT = 2

ZONES = ("Pacific/Kiritimati", "Etc/GMT+12")

CONFIG = """<yandex>
<timezone>{zone}</timezone>
<logger><level>warning</level>
<log>{folder}/log</log><errorlog>{folder}/errors</errorlog></logger>
<listen_host>127.0.0.1</listen_host>
<http_port>{http}</http_port><tcp_port>{tcp}</tcp_port>
<interserver_http_port>{inter}</interserver_http_port>
<interserver_http_host>127.0.0.1</interserver_http_host>
<path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path>
<users_config>{folder}/users.xml</users_config>
<default_profile>default</default_profile>
<default_database>default</default_database>
<mark_cache_size>16777216</mark_cache_size>
<uncompressed_cache_size>0</uncompressed_cache_size>
<merge_tree>
<replicated_max_ratio_of_wrong_parts>1</replicated_max_ratio_of_wrong_parts>
</merge_tree>
<max_concurrent_queries>100</max_concurrent_queries>
<zookeeper><node><host>127.0.0.1</host><port>{keeper}</port></node>
<session_timeout_ms>10000</session_timeout_ms></zookeeper>
<macros><shard>{shard}</shard><replica>{name}</replica></macros>
<remote_servers><fleet>{shards}</fleet></remote_servers>
</yandex>
"""

USERS = """<yandex>
<profiles><default><max_memory_usage>2000000000</max_memory_usage>
<max_threads>2</max_threads></default></profiles>
<users><default><password>{password}</password>
<networks><ip>127.0.0.1</ip></networks>
<profile>default</profile><quota>default</quota></default></users>
<quotas><default/></quotas>
</yandex>
"""

KEEPER = """tickTime=2000
dataDir={folder}/data
clientPort={port}
clientPortAddress=127.0.0.1
admin.enableServer=false
"""


def absent():
    """Return the name of a missing program, or None."""
    for program in ("clickhouse-server", "clickhouse-client", "java"):
        if shutil.which(program, path="/usr/bin:/usr/sbin") is None:
            return program
    if not glob.glob("/usr/share/java/zookeeper.jar"):
        return "zookeeper"
    return None


def free_ports(count):
    """Return free ports below the kernel's ephemeral ones, so that a restarted
    server finds its own free."""
    ports = []
    while len(ports) < count:
        port = random.randrange(15000, 32000)
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in ports:
            ports.append(port)
    return ports


class Servers(Programs):
    count = COUNT
    suffix = "_local"

    def __init__(self, folder, password="", are_shards=False):
        super().__init__(folder)
        self.are_shards = are_shards
        self.password = password
        self.keeper, *ports = free_ports(1 + 3 * COUNT)
        self.http = ports[:COUNT]
        self.tcp = ports[COUNT:2 * COUNT]
        self.inter = ports[2 * COUNT:]

    def db(self, *numbers, name="fleet"):
        hosts = ",".join(f"127.0.0.1:{self.http[n]}" for n in numbers)
        return f"clickhouse://{hosts}/{name}"

    def __enter__(self):
        try:
            self.start_keeper()
            for number in range(COUNT):
                self.write_config(number)
                self.start(number)
        except BaseException:
            self.__exit__()
            raise
        return self

    def start_keeper(self):
        folder = os.path.join(self.folder, "keeper")
        os.makedirs(folder)
        config = os.path.join(folder, "zoo.cfg")
        with open(config, "w", encoding="utf-8") as file:
            file.write(KEEPER.format(folder=folder, port=self.keeper))
        self.begin("keeper", [
            "/usr/bin/java", "-Xmx128m", "-XX:TieredStopAtLevel=1",
            "-cp", "/usr/share/java/zookeeper.jar:/usr/share/java/*",
            "org.apache.zookeeper.server.ZooKeeperServerMain", config],
                   cwd=folder)
        self.wait("keeper", self.has_keeper)

    def has_keeper(self):
        socket.create_connection(("127.0.0.1", self.keeper), 1).close()
        return True

    def write_config(self, number):
        folder = os.path.join(self.folder, f"server{number}")
        for name in ("data", "tmp"):
            os.makedirs(os.path.join(folder, name))
        password = f"<password>{self.password}</password>" \
            if self.password else ""
        begin = "<shard><internal_replication>true</internal_replication>"
        shards = ("</shard>" + begin if self.are_shards else "").join(
            f"<replica><host>127.0.0.1</host><port>{port}</port>{password}"
            "</replica>" for port in self.tcp)
        texts = {"config.xml": CONFIG.format(
            folder=folder, name=number, http=self.http[number],
            tcp=self.tcp[number], inter=self.inter[number],
            keeper=self.keeper, shards=f"{begin}{shards}</shard>",
            shard=number + 1 if self.are_shards else 1,
            zone=ZONES[number] if self.are_shards else "UTC"),
            "users.xml": USERS.format(password=self.password)}
        for name, text in texts.items():
            with open(os.path.join(folder, name), "w",
                      encoding="utf-8") as file:
                file.write(text)

    def start(self, number, tries=3):
        """Start again if it exits with 70, which happens on a busy machine."""
        name = f"server{number}"
        self.begin(name, ["/usr/sbin/clickhouse-server",
                          f"--config-file={self.folder}/{name}/config.xml"],
                   cwd=os.path.join(self.folder, name))
        try:
            self.wait(name, lambda: self.answers(number))
        except AssertionError as error:
            if tries == 1 or self.processes[name].poll() != 70:
                raise
            print(f"begun again: {error}", file=sys.stderr)
            self.start(number, tries - 1)

    def kill(self, number):
        process = self.processes[f"server{number}"]
        process.send_signal(signal.SIGKILL)
        process.wait()

    def answers(self, number):
        return get(self.http[number]) == b"Ok.\n"

    def ask(self, number, question, database="fleet"):
        """Return rows of fields, by the servers' own client."""
        command = ["/usr/bin/clickhouse-client", "--host=127.0.0.1",
                   f"--port={self.tcp[number]}", f"--database={database}",
                   "--query", question]
        if self.password:
            command.append(f"--password={self.password}")
        done = subprocess.run(command, capture_output=True, timeout=120,
                              check=False)
        assert done.returncode == 0, done.stderr.decode()
        return [line.split("\t") for line in done.stdout.decode().splitlines()]

    def wait_for_replicas(self):
        """Wait until both have all rows of either."""
        deadline = time.monotonic() + WAIT
        question = ("SELECT sum(queue_size) + sum(absolute_delay) + "
                    "sum(is_readonly) FROM system.replicas")
        while True:
            counts = {tuple(map(tuple, self.ask(
                number, "SELECT count(), sum(cityHash64(snapshot, stack)) "
                "FROM tally_samples_local FINAL"))) for number in range(COUNT)}
            left = [self.ask(number, question) for number in range(COUNT)]
            if len(counts) == 1 and left == [[["0"]]] * COUNT:
                return
            assert time.monotonic() < deadline, (counts, left)
            time.sleep(0.5)
