# SPDX-License-Identifier: Apache-2.0
"""tally serve with the servers that scrape it, by the rules in docs/."""

import http.client
import os
import subprocess
import time
import urllib.parse

from harness import scenario, watchdog
from harness.ports import free_port
from harness.scenario import equal, wait_until, write_file
from harness.served import Served, needs
from harness.steps import Steps

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                    "../../../docs/prometheus")


class Scraper:
    """A server that scrapes, with the rules of docs/ in seconds."""

    def __init__(self, place, served, *program):
        self.port = free_port()
        with open(os.path.join(DOCS, "tally.rules.yml"),
                  encoding="utf-8") as file:
            rules = file.read()
        for long, short in (("[30m]", "[3s]"), ("offset 30m", "offset 3s"),
                            ("for: 1h", "for: 1s"), ("10485760", "100000")):
            assert long in rules, long
            rules = rules.replace(long, short)
        write_file(place.file("tally.rules.yml"), rules)
        write_file(place.file("prometheus.yml"), f"""
global: {{ scrape_interval: 500ms, evaluation_interval: 500ms }}
rule_files: [tally.rules.yml]
scrape_configs:
  - job_name: tally
    static_configs: [{{ targets: ["{served.host}"] }}]
""")
        with open(place.file("scraper.log"), "wb") as log:
            self.process = subprocess.Popen(
                [argument.format(port=self.port) for argument in program],
                cwd=place.folder, stdout=log, stderr=log,
                env=watchdog.clean_environment())

    def ask(self, path):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port,
                                                    timeout=30)
            connection.request("GET", path)
            return connection.getresponse().read().decode()
        except OSError:
            return ""

    def query(self, text):
        return self.ask("/api/v1/query?query=" + urllib.parse.quote(text))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=60)


def prometheus(place):
    needs("prometheus", "promtool")
    watchdog.run(["promtool", "check", "rules",
                  os.path.join(DOCS, "tally.rules.yml")])
    with Steps(place) as steps, Served(place) as served, Scraper(
            place, served, "prometheus", "--config.file=prometheus.yml",
            "--storage.tsdb.path=tsdb",
            "--web.listen-address=127.0.0.1:{port}") as scraper:
        outcome = subprocess.run(["promtool", "check", "metrics"],
                                 input=served.get("/metrics"), check=False,
                                 capture_output=True, timeout=60)
        equal("promtool", (0, b"", b""),
              (outcome.returncode, outcome.stdout, outcome.stderr))
        value = f'tally_site_live_bytes{{site="first",pid="{steps.pid}"}}'
        firing = f'ALERTS{{alertstate="firing",pid="{steps.pid}"}}'
        steps.do("a")
        wait_until(lambda: '"100000"' in scraper.query(value), "a figure")
        assert "TallyHeapGrows" not in scraper.query(firing)

        def leak():
            steps.do("aa")
            time.sleep(0.5)
            return "TallyHeapGrows" in scraper.query(firing)

        wait_until(leak, "the alert", 60)
        assert '"service":"steps"' in scraper.query(
            'service:tally_live_bytes:sum{service="steps"}')
        assert '"health":"up"' in scraper.ask("/api/v1/targets")


def victoria(place):
    needs("victoria-metrics")
    with Steps(place) as steps, Served(place) as served, Scraper(
            place, served, "victoria-metrics", "-storageDataPath=data",
            "-promscrape.config=prometheus.yml", "-retentionPeriod=1d",
            "-promscrape.config.strictParse=false",
            "-search.latencyOffset=1ms",
            "-httpListenAddr=127.0.0.1:{port}") as scraper:
        steps.do("ab")
        value = f'tally_site_live_bytes{{site="first",pid="{steps.pid}"}}'
        wait_until(lambda: '"100000"' in scraper.query(value), "a figure")


scenario.main(prometheus, victoria)
