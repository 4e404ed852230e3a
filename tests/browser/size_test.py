"""Pages of a cluster that has ten thousand applications.

usage: size_test.py [unittest's options] MANY_APPLICATIONS STOKER
"""

import subprocess
import sys
import time
import unittest
import urllib.request

from cluster import PATIENCE_S, wait_until
from page_case import PageTestCase, text_of

MANY = sys.argv.pop()
COUNT = 10_000
ROWS = 100


class SizeTest(PageTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.applications = subprocess.Popen(
            [MANY, f"stoker://127.0.0.1:{cls.cluster.port}", str(COUNT)],
            env=cls.cluster.environment, stdin=subprocess.PIPE)
        try:
            wait_until("all are registered",
                       lambda: f"{COUNT} not ended" in cls.read("/applications?state=ended"))
        except BaseException:
            cls.tearDownClass()
            raise

    @classmethod
    def tearDownClass(cls):
        # They have nobody to tell their end to.
        super().tearDownClass()
        cls.applications.stdin.close()
        try:
            cls.applications.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            cls.applications.kill()
            cls.applications.wait()

    @classmethod
    def read(cls, path):
        with urllib.request.urlopen(cls.cluster.url + path, timeout=PATIENCE_S) as answer:
            return answer.read().decode()

    def rows(self):
        return self.browser.find_elements("css selector", "#applications tbody tr")

    def load_time_s(self, path):
        """How long a page takes until all of it is there."""
        self.open(path)
        return self.browser.execute_script(
            "return performance.getEntriesByType('navigation')[0].duration") / 1000

    def test_a_page_opens_within_a_second(self):
        for path in ("/", "/applications", f"/applications?page={COUNT // ROWS}",
                     "/queues", "/events"):
            with self.subTest(path):
                # What else runs on the machine is not the page's.
                self.assertLess(min(self.load_time_s(path) for _ in range(3)), 1.0)

    def test_a_long_list_is_read_page_by_page(self):
        self.open("/applications")
        self.assertEqual(len(self.rows()), ROWS)
        first = text_of(self.browser, "#applications tbody tr:first-child td:first-child")
        # By its address: the end of the page is out of sight.
        self.browser.get(
            self.browser.find_element("link text", "After").get_attribute("href"))
        self.assertEqual(len(self.rows()), ROWS)
        self.assertNotIn(first, text_of(self.browser, "#applications"))
        self.open(f"/applications?page={COUNT // ROWS}")
        self.assertEqual(len(self.browser.find_elements("link text", "After")), 0)
        self.browser.find_element("link text", "Before")

    def test_a_long_list_goes_on_changing(self):
        self.open("/applications")
        first = text_of(self.browser, "#applications tbody tr:first-child td:first-child")
        before = time.monotonic()
        request = urllib.request.Request(
            f"{self.cluster.url}/api/v1/applications/{first}/kill", method="POST")
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            self.assertEqual(answer.status, 200)
        self.wait_without_text("#applications", first)
        self.assertLess(time.monotonic() - before, 3)
        self.assertEqual(len(self.rows()), ROWS)
        self.wait_for_text("#lists", "1 ended")


if __name__ == "__main__":
    unittest.main()
