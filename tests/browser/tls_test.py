"""Pages over TLS, on an address that others can reach: that of a network of its own.

usage: tls_test.py [unittest's options] STOKER
"""

import base64
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from cluster import PATIENCE_S, free_port, open_browser, serve_elsewhere, wait_until

HOST = "10.77.0.1"
OWN_NETWORK = "STOKER_TEST_OWN_NETWORK"


def enter_own_network():
    """Starts this again where an address may be had that is not loopback's."""
    commands = (f"set -e; ip link set lo up; ip link add card type bridge; "
                f"ip address add {HOST}/24 dev card; ip link set card up; exec \"$@\"")
    os.environ[OWN_NETWORK] = "1"
    os.execvp("unshare", ["unshare", "--net", "sh", "-c", commands, "sh",
                          sys.executable, "-B", *sys.argv])


def pin_of(certificate):
    """How Chromium names the key of a certificate that it is to trust."""
    def openssl(words, text):
        return subprocess.run(["openssl", *words], input=text, check=True,
                              capture_output=True, timeout=PATIENCE_S).stdout

    with open(certificate, "rb") as pem:
        public = openssl(["x509", "-pubkey", "-noout"], pem.read())
    der = openssl(["pkey", "-pubin", "-outform", "der"], public)
    return base64.b64encode(hashlib.sha256(der).digest()).decode()


class TlsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="stoker-tls-browser-")
        cls.children = []
        cls.addClassCleanup(cls.clean_up)
        cls.environment = {**os.environ, "HOME": cls.directory,
                           "STOKER_MASTER": f"stoker://{HOST}:7070"}
        cls.stoker("certs", cls.path("certs"), "--host", HOST, "--user", "ann")
        cls.web_port = free_port()
        cls.url = f"https://{HOST}:{cls.web_port}"
        cls.start_master()
        cls.browser = open_browser(words=[
            f"--user-data-dir={cls.path('browser')}",
            f"--ignore-certificate-errors-spki-list={pin_of(cls.path('certs', HOST + '.pem'))}"])
        cls.addClassCleanup(cls.browser.quit)

    @classmethod
    def start_master(cls):
        cls.master = cls.spawn(
            "master", "--host", HOST, "--data", cls.path("data"), "--web-host", HOST,
            "--web-port", str(cls.web_port), "--spark-port", "0", "--rest-port", "0",
            *cls.tls_of(HOST))
        wait_until("the master answers", lambda: cls.stoker(
            "status", *cls.tls_of("ann"), check=False).returncode == 0)

    @classmethod
    def clean_up(cls):
        for child in reversed(cls.children):
            child.send_signal(signal.SIGTERM)
            child.wait(PATIENCE_S)
        shutil.rmtree(cls.directory, ignore_errors=True)

    @classmethod
    def path(cls, *names):
        return os.path.join(cls.directory, *names)

    @classmethod
    def tls_of(cls, name):
        certs = cls.path("certs", name)
        return ["--tls-cert", certs + ".pem", "--tls-key", certs + "-key.pem",
                "--tls-ca", cls.path("certs", "ca.pem")]

    @classmethod
    def stoker(cls, *words, check=True):
        return subprocess.run([STOKER, *words], env=cls.environment, check=check,
                              capture_output=True, text=True, timeout=PATIENCE_S)

    @classmethod
    def spawn(cls, *words):
        with open(cls.path("log"), "ab") as log:
            cls.children.append(subprocess.Popen(
                [STOKER, *words], env=cls.environment, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log))
        return cls.children[-1]

    def shown(self, selector):
        return self.browser.execute_script(
            "return [...document.querySelectorAll(arguments[0])]"
            ".map((x) => x.innerText).join('\\n')", selector)

    def wait_for_text(self, selector, text):
        wait_until(f"{text!r} in {selector}", lambda: text in self.shown(selector))

    def sign_in(self):
        link = self.stoker("web", "--no-open", "--web", self.url,
                           *self.tls_of("ann")).stdout.strip()
        self.assertTrue(link.startswith(self.url + "/login?token="))
        self.browser.get(link)
        self.assertEqual(self.browser.current_url, self.url + "/")

    def test_who_has_not_signed_in_sees_nothing_of_the_cluster(self):
        self.browser.delete_all_cookies()
        self.browser.get(self.url + "/workers")
        self.assertNotIn("ALIVE", self.shown("main"))
        self.assertIn("stoker web", self.shown("main"))
        # It does not try to follow what it may not see.
        self.assertFalse(self.browser.find_elements("css selector", "[data-live]"))

    def test_a_session_is_for_tls_alone(self):
        self.sign_in()
        cookie = next(x for x in self.browser.get_cookies()
                      if "stoker_session_" in x["name"])
        self.assertTrue(cookie["secure"])
        self.assertTrue(cookie["httpOnly"])
        self.assertEqual(cookie["sameSite"], "Lax")

    def test_a_session_lets_in_who_comes_from_a_page_of_another_site(self):
        self.sign_in()
        address, end = serve_elsewhere(f'<a href="{self.url}/workers">See the workers</a>')
        self.addCleanup(end)
        self.browser.get(address)
        self.browser.find_element("link text", "See the workers").click()
        self.wait_for_text("h1", "Workers")
        self.assertIn("read by ann", self.shown("footer"))

    def test_a_page_of_another_site_gives_no_order_in_a_session(self):
        self.sign_in()
        address, end = serve_elsewhere(
            f'<form method="post" action="{self.url}/logout"><button>Win</button></form>')
        self.addCleanup(end)
        self.browser.get(address)
        self.browser.find_element("css selector", "button").click()
        self.wait_for_text("body", "pages of others may not change anything here")
        self.browser.get(self.url + "/workers")
        self.assertIn("read by ann", self.shown("footer"))

    def test_a_page_follows_what_happens_and_ends_what_it_shows(self):
        self.sign_in()
        self.browser.get(self.url + "/workers")
        self.spawn("worker", f"stoker://{HOST}:7070", "--host", HOST, "--cores", "1",
                   "--memory", "1g", "--work-dir", self.path("work"), *self.tls_of(HOST))
        self.wait_for_text("main", "ALIVE")
        driver = self.stoker("submit", *self.tls_of("ann"), "--", "sleep",
                             "600").stdout.strip()
        self.browser.get(f"{self.url}/drivers/{driver}")
        self.wait_for_text("#facts", "RUNNING")
        self.browser.find_element("link text", "Kill").click()
        self.browser.find_element("css selector", "main form button").click()
        self.wait_for_text("#facts", "KILLED")

    def test_who_is_not_signed_in_any_more_is_told_so(self):
        self.sign_in()
        self.browser.get(self.url + "/workers")
        self.wait_for_text("#master-status", "ALIVE")
        # Sessions end with the master.
        self.master.terminate()
        self.master.wait(PATIENCE_S)
        self.wait_for_text("#lost", "The master is not reached")
        self.start_master()
        self.wait_for_text("#lost", "You are not signed in any more")
        self.assertNotIn("ALIVE", self.shown("#master-status"))
        # Who signs in elsewhere goes on here.
        first = self.browser.current_window_handle
        self.browser.switch_to.new_window("window")
        self.sign_in()
        self.browser.close()
        self.browser.switch_to.window(first)
        wait_until("the note is gone", lambda: not self.shown("#lost"))
        self.wait_for_text("#master-status", "ALIVE")

    def test_who_signs_out_elsewhere_is_told_so_here(self):
        self.sign_in()
        self.browser.get(self.url + "/workers")
        first = self.browser.current_window_handle
        self.browser.switch_to.new_window("window")
        self.browser.get(self.url + "/")
        self.browser.find_element("css selector", "footer form button").click()
        wait_until("he is signed out", lambda: "Signed out" in self.shown("h1"))
        self.browser.close()
        self.browser.switch_to.window(first)
        wait_until("a note", lambda: "You are not signed in any more" in
                   self.shown("#lost"), 60)

    def test_a_browser_that_does_not_know_the_certificate_warns(self):
        stranger = open_browser(words=[f"--user-data-dir={self.path('stranger')}"])
        self.addCleanup(stranger.quit)
        stranger.get(self.url)
        self.assertIn("ERR_CERT_AUTHORITY_INVALID", stranger.page_source)


if __name__ == "__main__":
    if OWN_NETWORK not in os.environ:
        if os.getuid() != 0:
            print("skipped: only root can make networks")
            sys.exit(0)
        enter_own_network()
    STOKER = sys.argv.pop()
    unittest.main()
