"""Pages go on through everything that happens to their master, their reader and each other.

usage: following_test.py [unittest's options] STOKER
"""

import contextlib
import os
import signal
import subprocess
import time
import unittest
import urllib.request

import page_clock
from cluster import PATIENCE_S, SplitCluster, wait_until
from page_case import PageTestCase, text_of

STDOUT = "[data-output$='stdout']"
STDERR = "[data-output$='stderr']"


class FollowingTest(PageTestCase):
    CLUSTER = SplitCluster
    OPTIONS = ()

    def tearDown(self):
        super().tearDown()
        for window in self.browser.window_handles[1:]:
            self.browser.switch_to.window(window)
            self.browser.close()
        self.browser.switch_to.window(self.browser.window_handles[0])

    def flag(self, name):
        return os.path.join(self.cluster.directory, name)

    def raise_flag(self, name):
        with open(self.flag(name), "w", encoding="utf-8"):
            pass

    def run_writer(self, name):
        """Writes a line, and another one when the flag is there."""
        return self.run_program(
            "-n", "9", "--memory", "64m", "--", "sh", "-c",
            f"echo before; while [ ! -e {self.flag(name)} ]; do sleep 0.1; done; "
            "echo after; sleep 600")[0]

    def test_nine_windows_of_executors_go_on_side_by_side(self):
        app = self.run_writer("many")
        self.open(f"/applications/{app}")
        self.wait_for_text("#executors", f"{app}/8")
        windows = []
        for i in range(9):
            self.browser.switch_to.new_window("window")
            self.open(f"/executors/{app}/{i}")
            self.assertFalse(self.browser.execute_script("return document.hidden"))
            windows.append(self.browser.current_window_handle)
        for window in windows:
            self.browser.switch_to.window(window)
            self.wait_for_text(STDOUT, "before")
        self.raise_flag("many")
        for window in windows:
            self.browser.switch_to.window(window)
            self.wait_for_text(STDOUT, "after")
        # Pages beside these open at once.
        self.browser.switch_to.new_window("window")
        begun = time.monotonic()
        self.open("/workers")
        self.assertLess(time.monotonic() - begun, 5)

        other, end = self.run_program("--name", "other", "--", "sleep", "600")
        shown = []
        for path in ("/", "/applications", "/events", "/", "/applications"):
            self.browser.switch_to.new_window("window")
            self.open(path)
            self.wait_for_text("main", other)
            shown.append(self.browser.current_window_handle)
        end()
        for window in shown[-2:]:
            self.browser.switch_to.window(window)
            self.wait_without_text("#applications", other)

    def test_a_tab_that_nobody_sees_holds_nothing_and_goes_on_later(self):
        app = self.run_writer("hidden")
        self.open(f"/executors/{app}/0")
        self.wait_for_text(STDOUT, "before")
        first = self.browser.current_window_handle
        self.browser.switch_to.new_window("tab")
        self.open("/")
        self.browser.switch_to.window(first)
        self.raise_flag("hidden")
        self.wait_for_text(STDOUT, "after")

    def test_output_goes_on_after_the_master_starts_again(self):
        app = self.run_writer("again")
        self.open(f"/executors/{app}/0")
        self.wait_for_text(STDOUT, "before")
        self.cluster.kill()
        self.wait_for_text("#lost", "The master is not reached since")
        self.raise_flag("again")
        self.cluster.start_master()
        self.wait_for_text(STDOUT, "after")
        wait_until("the note is gone", lambda: not text_of(self.browser, "#lost"))
        # Nothing twice.
        self.assertEqual(text_of(self.browser, STDOUT).split(), ["before", "after"])

    @contextlib.contextmanager
    def master_that_hangs(self):
        """What a page of it has to say when it goes on is checked, too."""
        self.open("/workers")
        self.wait_for_text("#workers", "ALIVE")
        self.wait_for_text("#master-status", "ALIVE")
        self.cluster.master.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.cluster.master.send_signal(signal.SIGCONT)
        wait_until("the note is gone", lambda: not text_of(self.browser, "#lost"))
        self.wait_for_text("#master-status", "ALIVE")

    def wait_until_not_reached(self, patience_s):
        wait_until("a note", lambda: "The master is not reached since" in
                   text_of(self.browser, "#lost"), patience_s)
        self.assertEqual(text_of(self.browser, "#master-status"), "not reached")

    def test_a_master_that_hangs_is_told(self):
        with self.master_that_hangs():
            self.wait_until_not_reached(40)

    def show_again(self, heard_s_ago, said_s_ago):
        """The same page when time has passed. Notes whether it is shown as old from then on."""
        self.browser.execute_script(
            "heardAt = new Date(Date.now() - 1000 * arguments[0]);"
            "saidAt = new Date(Date.now() - 1000 * arguments[1]);"
            "window.wasOld = false;"
            "new MutationObserver(() => { wasOld ||= isOld; }).observe("
            "  document.body, { attributeFilter: ['class'] })", heard_s_ago, said_s_ago)
        self.show()

    def was_old(self):
        return self.browser.execute_script("return wasOld")

    def test_a_page_that_is_seen_again_is_soon_known_to_be_old(self):
        with self.master_that_hangs():
            self.hide()
            self.show_again(60, 60)
            self.wait_until_not_reached(5)
            self.assertTrue(self.was_old())

    def test_silence_counts_from_the_last_word_and_not_from_when_a_page_is_seen(self):
        page_clock.install(self.browser, self)
        with self.master_that_hangs():
            self.hide()
            self.show_again(20, 20)
            page_clock.move(self.browser, 3)
            self.assertFalse(self.was_old())
            page_clock.move(self.browser, 3)
            self.wait_until_not_reached(1)

    def test_a_page_of_a_busy_master_is_not_taken_for_old_when_it_is_seen_again(self):
        page_clock.install(self.browser, self)
        with self.master_that_hangs():
            self.hide()
            self.show_again(60, 0)
            page_clock.move(self.browser, 20)
            self.assertFalse(self.was_old())
            page_clock.move(self.browser, 6)
            self.assertTrue(self.was_old())

    def test_a_page_that_looks_now_and_then_is_soon_known_to_be_old_too(self):
        with self.master_that_hangs():
            self.hide()
            # Others hold all connections that are held.
            self.browser.execute_script(
                "navigator.locks.request = async (name, options, work) => {"
                "  await work(null);"
                "  return false;"
                "}")
            self.show_again(60, 60)
            self.wait_until_not_reached(5)

    def test_a_page_that_is_seen_again_and_hears_of_its_master_is_never_shown_as_old(self):
        page_clock.install(self.browser, self)
        self.open("/workers")
        self.wait_for_text("#workers", "ALIVE")
        self.hide()
        self.show_again(60, 60)
        wait_until("a word of the master", lambda: self.browser.execute_script(
            "return Date.now() - heardAt.getTime() < 50000"))
        # As long as it would have been waited for.
        page_clock.move(self.browser, 3)
        self.assertFalse(self.was_old())
        self.assertEqual(text_of(self.browser, "#lost"), "")

    def test_who_is_refused_is_told_why_and_asks_seldom(self):
        app = self.run_writer("refused")
        for status in (401, 403):
            self.open(f"/executors/{app}/0")
            self.wait_for_text(STDOUT, "before")
            self.wait_for_text("#master-status", "ALIVE")
            # As a session ends: over TLS, and on a machine where the kernel knows its user.
            self.browser.execute_script(
                "window.asked = [];"
                "window.waits = [];"
                "const after = window.setTimeout;"
                "window.setTimeout = (what, ms) => {"
                "  waits.push(ms);"
                "  return after(what, ms);"
                "};"
                "window.fetch = async (target) => {"
                "  asked.push(String(target));"
                "  return new Response(String(target).includes('portion=')"
                "    ? JSON.stringify({ detail: 'you may not' })"
                "    : '<p id=\"master-status\">ALIVE</p>'"
                "      + '<section id=\"sentence\"><p>You may not.</p></section>',"
                "    { status: arguments[0] });"
                "};"
                "document.dispatchEvent(new Event('visibilitychange'))", status)
            self.wait_for_text("#lost", "You are not signed in any more; open a new link "
                                        "(stoker web). You may not.")
            self.assertEqual(text_of(self.browser, "#master-status"), "not signed in")
            self.assertTrue(self.browser.execute_script(
                "return document.body.classList.contains('is-old')"))
            # What is for readers who may is not offered any more.
            for selector in ("#kill a", "#reader"):
                self.assertFalse(self.browser.find_element(
                    "css selector", selector).is_displayed(), selector)
            # Each has asked once and waits for long, and the page says why once for all.
            wait_until("all wait", lambda: self.browser.execute_script(
                "return waits.filter((x) => x === signedOutPause).length") == 3)
            self.assertEqual(self.browser.execute_script("return asked.length"), 3)
            self.assertEqual(text_of(self.browser, "main").lower().count("you may not"), 1)

    def test_the_pages_of_a_standby_become_those_of_a_leader(self):
        standby = self.cluster.start_standby()
        paths = ("/workers", "/history", "/plan")
        for path in paths:
            self.browser.switch_to.new_window("window")

            def stands_by(path=path):
                self.browser.get(self.cluster.standby_url + path)
                return "This master stands by" in text_of(self.browser, "h1")

            wait_until("the standby's page", stands_by)
        windows = self.browser.window_handles[1:]
        # It is reached, whatever the page.
        for window in windows:
            self.browser.switch_to.window(window)
            wait_until("it follows", lambda: self.browser.execute_script(
                "return performance.getEntriesByType('resource')"
                ".some((x) => x.name.includes('/live?page=%2F'))"
                " || document.getElementById('lost').textContent === ''"))
            self.assertEqual(text_of(self.browser, "#lost"), "")
        self.cluster.kill()
        for window in windows:
            self.browser.switch_to.window(window)
            wait_until("the leader's page", lambda: "stands by" not in
                       text_of(self.browser, "h1") and text_of(self.browser, "h1"))
            self.assertNotEqual(text_of(self.browser, "#master-status"), "STANDBY")
        # It goes, so that the others lead again.
        standby.terminate()
        standby.wait()
        self.cluster.start_master()

    def test_a_leader_that_stands_by_later_shows_that(self):
        self.open("/workers")
        self.wait_for_text("#workers", "ALIVE")
        for path in ("/history", "/plan?executors=1"):
            self.browser.switch_to.new_window("window")
            self.open(path)
        # Another one on its ports, as after a change of leaders.
        other = self.cluster.start_standby()
        wait_until("the standby is there", lambda: "STANDBY" in self.cluster.log())
        self.cluster.kill()
        wait_until("the other one leads", lambda: self.leads(self.cluster.standby_url))
        self.cluster.master = self.cluster.spawn_master(
            self.cluster.port, self.cluster.web_port)
        for window in self.browser.window_handles:
            self.browser.switch_to.window(window)
            self.wait_for_text("h1", "This master stands by")
        other.terminate()
        other.wait()
        self.browser.switch_to.window(self.browser.window_handles[0])
        self.wait_for_text("h1", "Workers")

    @staticmethod
    def leads(url):
        try:
            with urllib.request.urlopen(url + "/readyz", timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False

    def submit(self, *words):
        return subprocess.run(
            [self.cluster.stoker, "submit", *words], env=self.cluster.environment,
            check=True, capture_output=True, text=True, timeout=PATIENCE_S).stdout.strip()

    def questions(self):
        return self.browser.execute_script(
            "return performance.getEntriesByType('resource')"
            ".filter((x) => x.name.includes('portion=')).length")

    def test_what_has_ended_is_not_asked_for_any_more(self):
        driver = self.submit("--", "sh", "-c", "echo all of it")
        self.open(f"/drivers/{driver}")
        self.wait_for_text(STDOUT, "all of it")
        self.wait_for_text(STDERR, "Nothing was written.")
        self.wait_for_text("#facts", "FINISHED")
        self.open(f"/drivers/{driver}")
        self.wait_for_text(STDERR, "Nothing was written.")
        self.wait_for_text(STDOUT, "all of it")
        self.assertEqual(self.questions(), 2)

    def test_output_goes_on_with_the_next_start_of_a_driver(self):
        name = self.flag("restart")
        driver = self.submit(
            "--supervise", "--", "sh", "-c",
            f"echo start; while [ ! -e {name} ]; do sleep 0.1; done; rm {name}; exit 1")
        self.open(f"/drivers/{driver}")
        self.wait_for_text(STDOUT, "start")
        self.raise_flag("restart")
        wait_until("the second start",
                   lambda: text_of(self.browser, STDOUT).split() == ["start", "start"])
        subprocess.run([self.cluster.stoker, "kill", driver], check=True, timeout=PATIENCE_S,
                       env=self.cluster.environment, capture_output=True)
        self.wait_for_text("#facts", "KILLED")

    def test_output_is_shown_as_a_terminal_would(self):
        app, _ = self.run_program(
            "--", "sh", "-c",
            r"printf '\033[31mred\033[0m\n 10%%\r 99%%\ndone\n'; sleep 600")
        self.open(f"/executors/{app}/0")
        self.wait_for_text(STDOUT, "done")
        self.assertEqual(text_of(self.browser, STDOUT).split(), ["red", "99%", "done"])
        self.assertEqual(text_of(self.browser, STDERR).strip(), "Nothing yet.")

    def screen(self, *pieces):
        """What a screen shows that is given pieces, each with whether more follows soon."""
        return self.browser.execute_script(
            "const pre = document.createElement('pre');"
            "const screen = new Screen(pre);"
            "for (const [text, restFollows] of arguments[0]) screen.write(text, restFollows);"
            "return pre.textContent", [list(x) for x in pieces])

    def test_the_beginning_of_no_sequence_holds_nothing_back(self):
        self.open("/")
        for text in ("\x1b\n", "\x1b]0;title\n", "\x1bPdata\n", "\x1b\x01\x02", "\x1b[31\n"):
            shown = self.screen((f"{text}after", True))
            self.assertTrue(shown.endswith("after"), (text, shown))
        # Two halves are one sequence, wherever it is cut.
        for whole in ("\x1b[31m", "\x1b]0;title\x07", "\x1b]0;title\x1b\\", "\x1bPq\x1b\\",
                      "\x1b(B"):
            for i in range(1, len(whole)):
                shown = self.screen((f"a{whole[:i]}", True), (f"{whole[i:]}b", True))
                self.assertEqual(shown, "ab", (whole, i))
        # Nothing more comes, or not for now.
        self.assertEqual(self.screen(("a\x1b]0;rest", False)), "a]0;rest")
        self.assertEqual(self.screen(("a\x1b]0;rest", True), ("", False)), "a]0;rest")

    def test_the_output_of_a_lost_worker_is_not_asked_for_any_more(self):
        worker = self.cluster.spawn(
            "worker", self.cluster.environment["STOKER_MASTER"], "--cores", "32", "--memory",
            "1g", "--work-dir", os.path.join(self.cluster.directory, "lost"))
        wait_until("the worker is there", lambda: len(self.cluster.status()["workers"]) == 2)
        app, _ = self.run_program("--cores", "20", "--memory", "64m", "--", "sh", "-c",
                                  "printf 'a line'; sleep 600")
        self.open(f"/executors/{app}/0")
        self.wait_for_text(STDOUT, "a line")
        self.wait_for_text(STDERR, "Nothing yet.")
        worker.kill()
        worker.wait()
        # It may come back, until it is lost.
        self.wait_for_text(STDERR, "asking again")
        self.assertIn("Nothing yet.\n[stoker] ", text_of(self.browser, STDERR))
        self.wait_for_text(STDOUT, "no more can be read")
        lines = text_of(self.browser, STDOUT).strip().split("\n")
        self.assertEqual(lines[0], "a line")
        self.assertTrue(lines[-1].startswith("[stoker] "), lines)
        self.assertNotIn("asking again", lines[-1])
        self.wait_for_text(STDERR, "no more can be read")
        self.assertTrue(text_of(self.browser, STDERR).startswith("[stoker] "))
        self.assertTrue(self.browser.execute_script(
            "const x = document.querySelector(arguments[0]);"
            "return x.scrollHeight - x.scrollTop - x.clientHeight < 8", STDOUT))

    def test_what_is_old_does_not_go_on(self):
        app = self.run_writer("old")
        self.open(f"/applications/{app}")
        self.wait_for_text("#facts", "RUNNING")
        script = ("const x = document.querySelector('[data-since]');"
                  "x.dataset.since -= 3600000; const before = x.textContent;"
                  "showDurations(); return x.textContent !== before")
        self.assertTrue(self.browser.execute_script(script))
        self.cluster.kill()
        self.wait_for_text("#lost", "The master is not reached since")
        self.assertFalse(self.browser.execute_script(script))
        self.cluster.start_master()
        wait_until("the note is gone", lambda: not text_of(self.browser, "#lost"))
        wait_until("it goes on", lambda: self.browser.execute_script(script))

    def test_durations_of_what_is_old_are_of_when_the_master_was_heard_last(self):
        app = self.run_writer("heard")
        self.open(f"/applications/{app}")
        self.wait_for_text("#facts", "RUNNING")
        self.assertEqual(self.browser.execute_script(
            "const x = document.querySelector('[data-since]');"
            "const now = Date.now();"
            "x.dataset.since = now - clockOffset - 7200000;"
            "heardAt = new Date(now - 3600000);"
            "showDurations();"
            "const before = x.textContent;"
            "showUnreached();"
            "return [before, x.textContent]"), ["2 h", "1 h"])

    def test_a_program_that_writes_much_leaves_the_page_quick(self):
        app, _ = self.run_program("--", "sh", "-c", "yes 'many of the same lines'")
        self.open(f"/executors/{app}/0")
        self.wait_for_text(STDOUT, "[stoker] earlier output is left out")
        self.wait_for_text(STDOUT, "bytes are left out here")
        # It is full after a while, and stays at that.
        wait_until("much of it", lambda: len(text_of(self.browser, STDOUT)) > 150_000)
        for _ in range(5):
            self.assertLess(self.browser.execute_async_script(
                "const begin = performance.now();"
                "setTimeout(() => arguments[0](performance.now() - begin), 0)"), 1000)
        self.assertLess(len(text_of(self.browser, STDOUT)), 400_000)
        for line in text_of(self.browser, STDOUT).split("\n"):
            if not line.startswith("[stoker] "):
                # One before what is left out may have no end.
                self.assertTrue("many of the same lines".startswith(line), line)


class ForgettingTest(PageTestCase):
    CLUSTER = SplitCluster
    OPTIONS = ("--conf", "spark.deploy.retainedApplications=1")

    def test_what_the_master_has_forgotten_is_told_until_the_page_is_left(self):
        app, end = self.run_program("--", "sleep", "600")
        self.open(f"/applications/{app}")
        self.wait_for_text("#facts", "RUNNING")
        end()
        for _ in range(3):
            self.run_program("--", "sleep", "600")[1]()
        self.wait_for_text("#lost", f"The master does not know application {app}")
        # The page as a whole, and then the next connection, say that the master is there:
        # it still knows nothing of it.
        self.browser.execute_script(
            "window.notes = []; window.heard = 0;"
            "new MutationObserver(() => notes.push("
            "  document.getElementById('lost').textContent)).observe("
            "  document.getElementById('lost'),"
            "  { childList: true, characterData: true, subtree: true });"
            "const take = takeStatus;"
            "takeStatus = (status) => { ++window.heard; take(status); };"
            "document.dispatchEvent(new Event('visibilitychange'))")
        wait_until("two words of the master", lambda: self.browser.execute_script(
            "return window.heard >= 2"))
        self.assertEqual(self.browser.execute_script("return notes"), [])
        self.wait_for_text("#lost", "The master does not know")
        self.assertEqual(text_of(self.browser, "#master-status"), "ALIVE")


if __name__ == "__main__":
    unittest.main()
