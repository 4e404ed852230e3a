"""A cluster of processes for a test of its pages, and a browser that shows them."""

import http.server
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request

PATIENCE_S = 30


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def serve_elsewhere(page, host="localhost"):
    """Serves a page as another site would: its address, and what ends that."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def end():
        server.shutdown()
        server.server_close()

    # To 127.0.0.1 another port of the same host is the same site.
    return f"http://{host}:{server.server_port}/", end


def wait_until(what, condition, patience_s=PATIENCE_S):
    """The first true value of the condition; an error says what was waited for."""
    end = time.monotonic() + patience_s
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"in vain: {what}")
        time.sleep(0.05)


class Cluster:
    """A master and workers, and the applications that were started on it."""

    def __init__(self, stoker, *options):
        self.stoker = stoker
        self.options = options
        self.directory = tempfile.mkdtemp(prefix="stoker-browser-")
        self.port = free_port()
        self.web_port = free_port()
        self.children = []
        self.environment = {
            **os.environ,
            "HOME": self.directory,
            "XDG_STATE_HOME": os.path.join(self.directory, "state"),
            "STOKER_MASTER": f"stoker://127.0.0.1:{self.port}",
        }
        self.master = None

    @property
    def url(self):
        return f"http://127.0.0.1:{self.web_port}"

    def start(self):
        self.master = self.spawn(
            "local", "--port", str(self.port), "--web-port", str(self.web_port),
            "--rest-port", "0", "--spark-port", "0",
            "--data", os.path.join(self.directory, "data"), *self.options)
        wait_until("the cluster is ready", self.is_ready)

    def is_ready(self):
        try:
            with urllib.request.urlopen(self.url + "/readyz", timeout=5) as answer:
                return answer.status == 200
        except OSError:
            if self.master.poll() is not None:
                raise AssertionError("the cluster has ended: " + self.log()) from None
            return False

    def log(self):
        with open(os.path.join(self.directory, "log"), encoding="utf-8",
                  errors="replace") as log:
            return log.read()

    def spawn(self, *words):
        with open(os.path.join(self.directory, "log"), "ab") as log:
            child = subprocess.Popen([self.stoker, *words], env=self.environment,
                                     stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.children.append(child)
        return child

    def kill(self):
        """As a crash would."""
        self.master.send_signal(signal.SIGKILL)
        self.master.wait()

    def run(self, *words):
        """Starts an application, and returns its id once it is there."""
        before = {x["id"] for x in self.applications()}
        child = self.spawn("run", "--quiet", *words)

        def new():
            ids = [x["id"] for x in self.applications() if x["id"] not in before]
            if not ids and child.poll() is not None:
                raise AssertionError("it has ended: " + self.log())
            return ids

        return child, wait_until("an application registers", new)[0]

    def status(self):
        text = subprocess.run([self.stoker, "status", "--json"], env=self.environment,
                              check=True, capture_output=True, timeout=PATIENCE_S).stdout
        return json.loads(text)

    def applications(self):
        status = self.status()
        return status["active_apps"] + status["completed_apps"]

    def stop(self):
        for child in reversed(self.children):
            if child.poll() is None:
                child.terminate()
                # A test may have stopped it.
                child.send_signal(signal.SIGCONT)
        for child in self.children:
            try:
                child.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        shutil.rmtree(self.directory, ignore_errors=True)


class SplitCluster(Cluster):
    """A master and a worker, each a process of its own, so that one ends without the other."""

    def __init__(self, stoker, *options):
        super().__init__(stoker, *options)
        self.standby_web_port = free_port()

    def start(self):
        self.start_master()
        self.spawn("worker", self.environment["STOKER_MASTER"], "--cores", "16", "--memory",
                   "4g", "--work-dir", os.path.join(self.directory, "work"))
        wait_until("the worker is there", lambda: self.status()["workers"])

    def start_master(self):
        self.master = self.spawn_master(self.port, self.web_port)
        wait_until("the master leads", self.is_ready)

    def start_standby(self):
        """Another master on the same directory."""
        return self.spawn_master(free_port(), self.standby_web_port)

    @property
    def standby_url(self):
        return f"http://127.0.0.1:{self.standby_web_port}"

    def spawn_master(self, port, web_port):
        return self.spawn(
            "master", "--port", str(port), "--web-port", str(web_port), "--rest-port", "0",
            "--spark-port", "0", "--data", os.path.join(self.directory, "data"),
            *self.options)


def open_browser(width=1280, height=900, dark=False, words=()):
    # Only who has it needs it.
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage",
                 f"--window-size={width},{height}", *words):
        options.add_argument(word)
    if dark:
        options.add_argument("--blink-settings=preferredColorScheme=0")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
