"""The Python client over TLS, to an address of a network of its own.

usage: tls_test.py [unittest's options] STOKER
"""

import os
import shutil
import subprocess
import sys
import unittest
from unittest import mock

HOST = "10.77.0.1"
OWN_NETWORK = "STOKER_TEST_OWN_NETWORK"

if OWN_NETWORK not in os.environ:
    if subprocess.run(["unshare", "--net", "true"], check=False).returncode != 0:
        print("tls_test: skipped: only root may make a network", file=sys.stderr)
        sys.exit(0)
    # Starts this again where an address may be had that is not loopback's.
    os.environ[OWN_NETWORK] = "1"
    os.execvp("unshare", ["unshare", "--net", "sh", "-c", (
        f"set -e; ip link set lo up; ip link add card type bridge; "
        f"ip address add {HOST}/24 dev card; ip link set card up; exec \"$@\""), "sh",
        sys.executable, "-B", *sys.argv])

# pylint: disable=wrong-import-position
import stoker  # noqa: E402
from support import PATIENCE_S, PROGRAM, Cluster, free_port, wait_until  # noqa: E402


class TlsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(PROGRAM)
        cls.addClassCleanup(cls.cluster.stop)
        cls.make_certificates("certs", "--host", HOST, "--user", "ann")
        cls.make_certificates("others", "--host", HOST, "--user", "eve")
        web_port = free_port()
        cls.url = f"https://{HOST}:{web_port}"
        cls.cluster.environment["STOKER_MASTER"] = f"stoker://{HOST}:{cls.cluster.port}"
        node = ["--tls-cert", cls.path("certs", HOST + ".pem"),
                "--tls-key", cls.path("certs", HOST + "-key.pem"),
                "--tls-ca", cls.path("certs", "ca.pem")]
        cls.cluster.spawn("master", "--host", HOST, "--port", str(cls.cluster.port),
                          "--data", cls.path("data"), "--web-host", HOST, "--web-port",
                          str(web_port), "--spark-port", "0", "--rest-port", "0", *node)
        cls.cluster.spawn("worker", cls.cluster.environment["STOKER_MASTER"], "--host", HOST,
                          "--cores", "2", "--memory", "1g", "--work-dir", cls.path("work"),
                          *node)
        cls.ann = stoker.Client(cls.url, **cls.shown_by("certs", "ann"))
        wait_until("the worker is there", cls.ann.workers)

    @classmethod
    def make_certificates(cls, name, *words):
        subprocess.run([PROGRAM, "certs", cls.path(name), *words], check=True,
                       env=cls.cluster.environment, capture_output=True, timeout=PATIENCE_S)

    @classmethod
    def path(cls, *names):
        return os.path.join(cls.cluster.directory, *names)

    @classmethod
    def shown_by(cls, authority, name):
        return {"cert": cls.path(authority, name + ".pem"),
                "key": cls.path(authority, name + "-key.pem"),
                "ca": cls.path(authority, "ca.pem")}

    def test_who_shows_a_certificate_may_start_programs(self):
        job = self.ann.submit(["echo", "hello"])
        self.assertEqual(list(job.logs()), ["hello\n"])
        self.assertTrue(job.wait(60).ok)
        self.assertEqual(job.status()["user"], "ann")
        self.assertGreater(next(self.ann.events())["number"], 0)

    def test_variables_are_those_of_the_command_line(self):
        shown = {f"STOKER_TLS_{k.upper()}": v for k, v in self.shown_by("certs", "ann").items()}
        with mock.patch.dict(os.environ, {"STOKER_WEB_URL": self.url, **shown}):
            self.assertTrue(stoker.run(["true"])[0].ok)
            # They are for masters over TLS.
            stoker.Client("http://127.0.0.1:1")

    def test_a_body_that_is_too_long_is_told(self):
        with self.assertRaises(stoker.Error) as raised:
            self.ann.submit(["x" * 3_000_000])
        self.assertEqual(raised.exception.status, 413)

    def test_who_is_not_known_or_not_believed_is_told_at_once(self):
        certificate = self.shown_by("certs", "ann")
        for options, status, text in (
                ({"ca": certificate["ca"]}, 401, "who you are"),
                ({}, 0, "its certificate is not believed"),
                (self.shown_by("others", "eve"), 0, "its certificate is not believed"),
                ({**self.shown_by("others", "eve"), "ca": certificate["ca"]}, 0, "")):
            with self.assertRaises(stoker.Error) as raised:
                stoker.Client(self.url, **options).status()
            self.assertEqual(raised.exception.status, status, raised.exception.detail)
            self.assertIn(text, raised.exception.detail)

    def test_a_revoked_certificate_of_the_master_is_refused(self):
        text = subprocess.run(["openssl", "x509", "-serial", "-noout", "-in",
                               self.path("certs", HOST + ".pem")], check=True,
                              capture_output=True, text=True, timeout=PATIENCE_S).stdout
        with open(self.path("revoked"), "w", encoding="utf-8") as file:
            file.write("0a # of another one\n")
        shown = self.shown_by("certs", "ann")
        client = stoker.Client(self.url, **shown, revoked=self.path("revoked"))
        client.status()
        with open(self.path("revoked"), "a", encoding="utf-8") as file:
            file.write(text)
        for options in ({}, {"revoked": self.path("revoked")}):
            with mock.patch.dict(os.environ, {"STOKER_TLS_REVOKED": self.path("revoked")}):
                with self.assertRaises(stoker.Error) as raised:
                    stoker.Client(self.url, **shown, **options).status()
                self.assertIn("certificate revoked", raised.exception.detail)
        self.assertRaises(stoker.Error, client.status)
        with open(self.path("revoked"), "a", encoding="utf-8") as file:
            file.write("no number\n")
        with self.assertRaisesRegex(stoker.Error, "revoked:3: 'no number' is not"):
            client.status()
        os.remove(self.path("revoked"))
        with self.assertRaisesRegex(stoker.Error, "list of revoked certificates"):
            client.status()
        with open(self.path("wrong"), "w", encoding="utf-8") as file:
            file.write("no number\n")
        with self.assertRaisesRegex(ValueError, "wrong:1: 'no number' is not"):
            stoker.Client(self.url, **shown, revoked=self.path("wrong"))

    def test_who_begins_the_address_with_http_is_told_to_begin_it_otherwise(self):
        with self.assertRaises(stoker.Error) as raised:
            stoker.Client(self.url.replace("https", "http")).status()
        self.assertEqual(raised.exception.status, 400)
        self.assertIn("begin the address with https", raised.exception.detail)

    def test_what_is_no_certificate_is_told(self):
        certificate = self.shown_by("certs", "ann")
        self.assertRaises(ValueError, stoker.Client, self.url, cert=certificate["cert"])
        self.assertRaises(ValueError, stoker.Client, "http://127.0.0.1:1", **certificate)
        self.assertRaises(FileNotFoundError, stoker.Client, self.url, ca="/none")
        for name in certificate:
            shutil.copy(__file__, self.path("text"))
            with self.assertRaisesRegex(ValueError, "PEM"):
                stoker.Client(self.url, **{**certificate, name: self.path("text")})


if __name__ == "__main__":
    unittest.main()
