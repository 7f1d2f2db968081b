# SPDX-License-Identifier: Apache-2.0
"""A browser to look at one file: Chromium without a window or a network.

The Chrome DevTools Protocol controls it on two pipes, its file descriptors 3
and 4: JSON objects, each ended by a zero byte. Its profile is a new folder.
Without Chromium the case is skipped; if it does not answer the case fails.
"""

import fcntl
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TIMEOUT_SECONDS = 200  # of a busy machine
SKIPPED = 77
OPTIONS = [
    "--headless", "--remote-debugging-pipe", "--no-first-run",
    "--no-default-browser-check", "--disable-gpu", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update",
    "--disable-default-apps", "--disable-extensions", "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--force-color-profile=srgb",
    "--disable-ipc-flooding-protection",
    "--hide-scrollbars", "--window-size=1280,800",
]


class Browser:
    def __init__(self):
        program = shutil.which("chromium")
        if program is None:
            print("SKIPPED: no chromium; scripts/install-deps test",
                  file=sys.stderr)
            sys.exit(SKIPPED)
        self.deadline = time.monotonic() + TIMEOUT_SECONDS
        self.profile = tempfile.TemporaryDirectory(prefix="tally-browser-")
        self.log = open(os.path.join(self.profile.name, "log"), "w+",
                        encoding="utf-8")
        options = list(OPTIONS)
        if os.geteuid() == 0:
            options.append("--no-sandbox")  # required as root
        theirs_in, self.commands = os.pipe()
        self.answers, theirs_out = os.pipe()
        theirs = [fcntl.fcntl(end, fcntl.F_DUPFD, 10)  # beside 3 and 4
                  for end in (theirs_in, theirs_out)]
        self.process = subprocess.Popen(
            [program, *options, f"--user-data-dir={self.profile.name}",
             "about:blank"],
            preexec_fn=lambda: [os.dup2(end, number) for number, end in
                                enumerate(theirs, start=3)],
            pass_fds=(3, 4), stdin=subprocess.DEVNULL,
            stdout=self.log, stderr=self.log, start_new_session=True)
        for end in (theirs_in, theirs_out, *theirs):
            os.close(end)
        self.received, self.session, self.count = b"", None, 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.commands)
        os.close(self.answers)
        self.log.close()
        # Its helpers end a moment later than the browser.
        shutil.rmtree(self.profile.name, ignore_errors=True)
        self.profile.cleanup()

    def fail(self, why):
        self.log.seek(0)
        said = "".join(self.log.readlines()[-10:])
        raise SystemExit(f"chromium {why}; it said:\n{said}")

    def message(self):
        """Return its next message."""
        while b"\0" not in self.received:
            left = self.deadline - time.monotonic()
            if left <= 0 or not select.select([self.answers], [], [], left)[0]:
                self.fail(f"did not answer within {TIMEOUT_SECONDS} s")
            part = os.read(self.answers, 1 << 16)
            if part == b"":
                self.fail("ended")
            self.received += part
        text, self.received = self.received.split(b"\0", 1)
        return json.loads(text)

    def send(self, method, **parameters):
        self.count += 1
        command = {"id": self.count, "method": method, "params": parameters}
        if self.session is not None:
            command["sessionId"] = self.session
        os.write(self.commands, json.dumps(command).encode() + b"\0")
        return self.count

    def do(self, method, **parameters):
        number = self.send(method, **parameters)
        while True:
            message = self.message()
            if message.get("id") == number:
                if "error" in message:
                    self.fail(f"refused {method}: {message['error']}")
                return message["result"]

    def open(self, path):
        target = self.do("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.do("Target.attachToTarget", targetId=target,
                               flatten=True)["sessionId"]
        self.do("Page.enable")
        self.do("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        while self.ask("document.readyState") != "complete" or \
                self.ask("location.href") == "about:blank":
            self.check_time(f"did not load {path}")

    def check_time(self, what):
        if time.monotonic() > self.deadline:
            self.fail(what)

    def ask(self, expression):
        """Return the value of an expression of the page's script."""
        answer = self.do("Runtime.evaluate", expression=expression,
                         returnByValue=True)
        if "exceptionDetails" in answer:
            self.fail(f"threw: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def mouse(self, kind, x, y, **parameters):
        self.do("Input.dispatchMouseEvent", type=kind, x=x, y=y, **parameters)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def press(self, key, **parameters):
        for kind in ("rawKeyDown", "keyUp"):
            self.do("Input.dispatchKeyEvent", type=kind, key=key, **parameters)

    def screenshot(self, path):
        import base64
        data = self.do("Page.captureScreenshot", captureBeyondViewport=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(data["data"]))
