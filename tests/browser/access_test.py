"""Who a browser is, and what he ends from a page.

usage: access_test.py [unittest's options] STOKER
"""

import os
import subprocess
import unittest
import urllib.parse

from cluster import PATIENCE_S, serve_elsewhere, wait_until
from page_case import PageTestCase, text_of


class AccessTest(PageTestCase):
    def link(self):
        return subprocess.run(
            [self.cluster.stoker, "web", "--no-open", "--web", self.cluster.url],
            env=self.cluster.environment, check=True, capture_output=True, text=True,
            timeout=PATIENCE_S).stdout.strip()

    def click(self, selector):
        self.browser.find_element("css selector", selector).click()

    def state_of(self, app):
        return next(x["state"] for x in self.cluster.applications() if x["id"] == app)

    def cookie_name(self):
        return f"stoker_session_{urllib.parse.urlsplit(self.cluster.url).port}"

    def open_confirmation(self):
        """The page that asks whether an application is to end."""
        app, _ = self.run_program("--name", "long", "--", "sleep", "600")
        self.open(f"/applications/{app}")
        self.browser.find_element("link text", "Kill").click()
        self.assertEqual(text_of(self.browser, "h1"), f"Kill {app}?")
        return app

    def test_a_link_signs_in_once_until_he_signs_out(self):
        link = self.link()
        self.browser.get(link)
        self.assertEqual(self.browser.current_url, self.cluster.url + "/")
        cookie = self.browser.get_cookie(self.cookie_name())
        self.assertTrue(cookie["httpOnly"])
        self.assertEqual(cookie["sameSite"], "Lax")
        self.assertEqual(self.browser.execute_script("return document.cookie"), "")
        self.browser.get(link)
        self.wait_for_text("h1", "This link is not good any more")
        self.open("/workers")
        self.click("footer form button")
        self.wait_for_text("h1", "Signed out")
        # On this machine he is known without a link.
        self.assertIn("without a link", text_of(self.browser, "#sentence"))
        self.assertIsNone(self.browser.get_cookie(self.cookie_name()))

    def test_an_open_page_becomes_that_of_who_reads_it_now(self):
        self.open("/workers")
        self.assertNotIn("Sign out", text_of(self.browser, "#reader"))
        first = self.browser.current_window_handle
        self.browser.switch_to.new_window("tab")
        self.browser.get(self.link())
        self.browser.close()
        self.browser.switch_to.window(first)
        # As when the turn of its connection is over.
        self.browser.execute_script("document.dispatchEvent(new Event('visibilitychange'))")
        self.wait_for_text("#reader", "Sign out")
        self.click("footer form button")
        self.wait_for_text("h1", "Signed out")

    def mark(self):
        """A page that loads itself again has lost its mark."""
        self.browser.execute_script("window.isMarked = true")

    def is_marked(self):
        return self.browser.execute_script("return window.isMarked === true")

    def sign_in_while_nobody_sees(self, path):
        self.addCleanup(self.browser.delete_all_cookies)
        self.open(path)
        self.assertNotIn("Sign out", text_of(self.browser, "#reader"))
        self.mark()
        self.hide()
        first = self.browser.current_window_handle
        self.browser.switch_to.new_window("tab")
        self.browser.get(self.link())
        self.browser.close()
        self.browser.switch_to.window(first)
        self.show()
        # Before the turn of what it holds is over.
        wait_until("it offers to sign out",
                   lambda: "Sign out" in text_of(self.browser, "#reader"), 10)

    def test_a_page_that_is_seen_again_is_at_once_that_of_who_reads_it_now(self):
        self.sign_in_while_nobody_sees("/workers")
        self.assertFalse(self.is_marked())

    def test_a_form_keeps_what_was_filled_in_for_who_reads_it_now(self):
        self.sign_in_while_nobody_sees("/plan")
        self.assertTrue(self.is_marked())

    def test_a_page_that_is_made_for_the_same_reader_again_stays(self):
        self.open("/workers")
        take = ("takeReader(new DOMParser().parseFromString("
                "'<div id=\"reader\" data-name=\"somebody else\">, read by somebody else</div>',"
                "'text/html'))")
        # A page hears of its being loaded again before anything else happens.
        is_loaded_again = (
            "let isLoaded = false;"
            "navigation.addEventListener('navigate',"
            "  (event) => { isLoaded ||= event.navigationType === 'reload'; });"
            f"{take};"
            "return isLoaded")
        self.mark()
        self.assertTrue(self.browser.execute_script(is_loaded_again))
        wait_until("it is loaded again", lambda: not self.is_marked() and
                   self.browser.execute_script("return document.readyState") == "complete")
        self.assertFalse(self.browser.execute_script(is_loaded_again))

    def test_an_application_is_ended_from_its_page(self):
        app = self.open_confirmation()
        self.assertIn("long", text_of(self.browser, "#facts"))
        self.assertEqual(self.state_of(app), "RUNNING")
        self.click("main form button")
        self.wait_for_text("h1", f"Application {app}")
        self.assertEqual(self.browser.current_url,
                         f"{self.cluster.url}/applications/{app}")
        self.wait_for_text("#facts", "KILLED")
        self.assertEqual(self.state_of(app), "KILLED")
        self.open(f"/applications/{app}")
        self.assertEqual(self.browser.find_elements("link text", "Kill"), [])

    def test_an_executor_is_ended_from_its_page(self):
        app, _ = self.run_program("--name", "long", "--", "sleep", "600")
        self.open(f"/executors/{app}/0")
        self.browser.find_element("link text", "Kill").click()
        self.assertEqual(text_of(self.browser, "h1"), f"Kill {app}/0?")
        self.click("main form button")
        self.wait_for_text("#facts", "KILLED")
        # Its instance starts again.
        wait_until("there is another", lambda: self.state_of(app) == "RUNNING")

    def test_what_ends_meanwhile_is_not_offered_any_more(self):
        app, end = self.run_program("--", "sleep", "600")
        self.open(f"/applications/{app}")
        link = self.browser.find_element("link text", "Kill")
        self.assertTrue(link.is_displayed())
        end()
        wait_until("the link is gone", lambda: not link.is_displayed())

    def test_an_executor_that_exits_is_not_offered_any_more(self):
        flag = os.path.join(self.cluster.directory, "exit")
        app, _ = self.run_program(
            "--", "sh", "-c", f"while [ ! -e {flag} ]; do sleep 0.1; done")
        self.open(f"/executors/{app}/0")
        link = self.browser.find_element("link text", "Kill")
        self.assertTrue(link.is_displayed())
        with open(flag, "w", encoding="utf-8"):
            pass
        self.wait_for_text("#facts", "EXITED")
        self.assertFalse(link.is_displayed())

    def test_who_would_rather_not_goes_back(self):
        app = self.open_confirmation()
        self.browser.find_element("link text", "Go back").click()
        self.wait_for_text("h1", f"Application {app}")
        self.assertEqual(self.state_of(app), "RUNNING")

    def test_a_form_whose_token_is_made_up_is_refused(self):
        app = self.open_confirmation()
        self.browser.execute_script(
            "document.querySelector('[name=token]').value = '0'.repeat(64)")
        self.click("main form button")
        self.wait_for_text("h1", "Not allowed")
        self.wait_for_text("#sentence", "Nothing was ended")
        self.assertEqual(self.state_of(app), "RUNNING")
        # As after a restart of the master: another form counts.
        self.browser.find_element("css selector", "#links a[href$='/kill']").click()
        self.click("main form button")
        wait_until("its end", lambda: self.state_of(app) == "KILLED")

    def test_a_form_on_another_server_is_refused(self):
        app = self.open_confirmation()
        # Even with the right token, and a session, whose cookie is sent to all ports.
        self.browser.get(self.link())
        self.open(f"/applications/{app}/kill")
        token = self.browser.find_element("name", "token").get_attribute("value")
        page = (f'<form method="post" action="{self.cluster.url}/applications/{app}/kill">'
                f'<input name="token" value="{token}"><button>Win</button></form>')
        address, end = serve_elsewhere(page, "127.0.0.1")
        self.addCleanup(end)
        self.browser.get(address)
        self.click("button")
        self.wait_for_text("body", "pages of others may not change anything here")
        self.assertEqual(self.state_of(app), "RUNNING")


if __name__ == "__main__":
    unittest.main()
