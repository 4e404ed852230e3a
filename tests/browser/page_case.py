"""What tests of pages in a browser have in common."""

import sys
import unittest

from cluster import Cluster, open_browser, wait_until

STOKER = sys.argv.pop()


def text_of(browser, selector):
    """All text that is shown there; the page may be changing."""
    return browser.execute_script(
        "return [...document.querySelectorAll(arguments[0])]"
        ".map((x) => x.innerText).join('\\n')", selector)


class PageTestCase(unittest.TestCase):
    """A cluster of two workers, and a browser."""

    CLUSTER = Cluster
    OPTIONS = ("--workers", "2", "--cores", "4", "--memory", "2g")

    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.CLUSTER(STOKER, *cls.OPTIONS)
        try:
            cls.cluster.start()
            cls.browser = open_browser()
        except BaseException:
            cls.cluster.stop()
            raise

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.cluster.stop()

    def tearDown(self):
        # A page that breaks one of its own rules says so there. A master that is away, or
        # refuses something, is no fault of a page's.
        errors = [x["message"] for x in self.browser.get_log("browser")
                  if x["level"] == "SEVERE" and "net::ERR" not in x["message"]
                  and "responded with a status of 4" not in x["message"]
                  and "responded with a status of 503" not in x["message"]]
        self.assertEqual(errors, [])

    def run_program(self, *words):
        """Starts an application, which ends with the test at the latest."""
        child, app = self.cluster.run(*words)

        def end():
            child.terminate()
            child.wait()

        self.addCleanup(end)
        return app, end

    def open(self, path):
        self.browser.get(self.cluster.url + path)

    def hide(self):
        """As when another tab is before the page, which hears nothing from then on."""
        self.browser.execute_script(
            "window.isHidden = true;"
            "Object.defineProperty(document, 'hidden',"
            "  { configurable: true, get: () => isHidden });"
            "document.dispatchEvent(new Event('visibilitychange'))")

    def show(self):
        """As when it is seen again."""
        self.browser.execute_script(
            "window.isHidden = false;"
            "document.dispatchEvent(new Event('visibilitychange'))")

    def wait_for_text(self, selector, text):
        wait_until(f"{text!r} in {selector}", lambda: text in text_of(self.browser, selector))

    def wait_without_text(self, selector, text):
        wait_until(f"no {text!r} in {selector}",
                   lambda: text not in text_of(self.browser, selector))
