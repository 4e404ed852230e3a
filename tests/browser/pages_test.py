"""Pages as a browser shows them, of a cluster in which things start, end and die.

usage: pages_test.py [unittest's options] STOKER
"""

import datetime
import os
import unittest
import urllib.parse
import urllib.request

from cluster import wait_until
from page_case import PageTestCase, text_of


class PagesTest(PageTestCase):
    def test_every_page_opens_from_the_first(self):
        self.open("/")
        for name, heading in (("Workers", "Workers"), ("Applications", "Applications"),
                              ("Drivers", "Drivers"), ("Jobs", "Jobs"),
                              ("Queues", "Queues"), ("History", "History"),
                              ("Events", "Events"),
                              ("Plan", "What would happen if"),
                              ("Cluster", "Cluster")):
            self.browser.find_element("link text", name).click()
            self.assertEqual(text_of(self.browser, "h1"), heading)
            self.assertEqual(text_of(self.browser, "[aria-current]"), name)

    def test_what_starts_and_ends_is_shown_as_it_does(self):
        self.open("/")
        app, end = self.run_program("-n", "3", "--name", "sleeper", "--", "sleep", "600")
        self.wait_for_text("#applications", app)
        self.wait_for_text("#applications", "RUNNING")
        self.wait_for_text("#figures", "3 of 8")
        end()
        self.wait_without_text("#applications", app)
        self.wait_for_text("#ended", app)
        self.wait_for_text("#figures", "0 of 8")

    def test_an_application_shows_its_executors_and_why(self):
        app, end = self.run_program("-n", "2", "--name", "pair", "--", "sleep", "600")
        self.open(f"/applications/{app}")
        self.wait_for_text("#executors", f"{app}/1")
        self.wait_for_text("#explanation", "It has as many executors as it asks for.")
        # The foot says of when it is.
        shown = text_of(self.browser, "footer time")
        wait_until("a later time", lambda: text_of(self.browser, "footer time") != shown)
        # A chart draws itself.
        wait_until("a chart", lambda: self.browser.execute_script(
            "const x = document.querySelector('canvas[data-chart]');"
            "return window.Chart && Chart.getChart(x)"
            " && Chart.getChart(x).data.datasets[0].data.length > 0"))
        end()
        self.wait_without_text("#facts", "RUNNING")

    def test_the_times_of_a_chart_differ(self):
        self.open("/queues")
        for shown_ms, count in ((500, 1), (2000, 2), (3600_000, 10), (5 * 86400_000, 10)):
            texts = self.browser.execute_script(
                "const [max] = arguments;"
                "const axis = { min: 0, max, ticks: [...Array(10).keys()].map("
                "  (i) => ({ value: i * max / 10 })) };"
                "dropEqualTicks(axis);"
                "return axis.ticks.map(({ value }) => tickText(value, max))", shown_ms)
            self.assertEqual(len(texts), count, texts)
            self.assertEqual(len(set(texts)), count)
        # Days are told apart.
        self.assertGreaterEqual(len({x.split(" ")[0] for x in texts}), 5)

    def test_a_job_shows_its_stages_and_how_far_their_tasks_are(self):
        words = os.path.join(self.cluster.directory, "words")
        flag = os.path.join(self.cluster.directory, "flag")
        with open(words, "w", encoding="utf-8") as file:
            file.write("one\ntwo\n" * 1000)
        child = self.cluster.spawn(
            "job", "--conf", "spark.app.name=copy", "--input", words, "--map", "cat", "--partitions", "2",
            "--reduce", f"while [ ! -e {flag} ]; do sleep 0.05; done; cat", "--output",
            os.path.join(self.cluster.directory, "sorted"))
        self.addCleanup(child.wait)
        self.addCleanup(child.terminate)
        self.open("/jobs")
        self.wait_for_text("#jobs", "RUNNING")
        self.browser.find_element("css selector", "#jobs a[href^='/jobs/']").click()
        self.wait_for_text("h1", "Job 0 of app-")
        self.assertTrue(text_of(self.browser, "h1").endswith(": copy"))
        self.wait_for_text("#stages", "ACTIVE")
        self.wait_for_text("#stages", "0 of 2")
        self.wait_for_text("#explanation", "Why")
        with open(flag, "w", encoding="utf-8"):
            pass
        self.wait_for_text("#facts", "SUCCEEDED")
        self.wait_for_text("#stages", "2 of 2")
        self.wait_without_text("#stages", "ACTIVE")
        self.wait_without_text("#explanation", "Why")

    def test_output_is_followed_as_it_is_written(self):
        app, _ = self.run_program(
            "--", "sh", "-c", "echo first; sleep 2; "
            "echo '<b>second</b>'; echo problem >&2; sleep 600")
        self.open(f"/executors/{app}/0")
        self.wait_for_text("[data-output$='stdout']", "first")
        self.wait_for_text("[data-output$='stdout']", "<b>second</b>")
        self.wait_for_text("[data-output$='stderr']", "problem")
        with urllib.request.urlopen(
                f"{self.cluster.url}/logs/executors/{app}/0/stdout") as answer:
            self.assertEqual(answer.read(), b"first\n<b>second</b>\n")

    def test_what_has_ended_is_found_in_the_history(self):
        app, end = self.run_program("-n", "2", "--", "sh", "-c", "echo hello; sleep 600")
        self.open(f"/executors/{app}/1")
        self.wait_for_text("[data-output$='stdout']", "hello")
        end()

        # What was killed has its use a moment later.
        def is_counted():
            self.open(f"/history?id={app}")
            entries = text_of(self.browser, "#entries")
            return entries.count("6 B") == 2 and "12 B" in entries

        wait_until("both executors", is_counted)
        self.open("/history")
        self.browser.find_element("link text", app).click()
        self.assertIn(f"{app}/1", text_of(self.browser, "#entries"))
        self.assertIn("12 B", text_of(self.browser, "#entries"))
        self.open("/history?kind=executors&state=failed&user=nobody")
        self.assertIn("Nothing that was looked for", text_of(self.browser, "#entries"))
        self.assertIn("Use by month", text_of(self.browser, "#months"))

    def test_times_have_one_form_by_the_readers_clock(self):
        app, _ = self.run_program("--name", "noted", "--", "sleep", "600")
        self.browser.execute_cdp_cmd("Emulation.setTimezoneOverride",
                                     {"timezoneId": "Asia/Kolkata"})
        self.addCleanup(self.browser.execute_cdp_cmd, "Emulation.setTimezoneOverride",
                        {"timezoneId": ""})
        self.open(f"/applications/{app}")
        shown = self.browser.find_element("css selector", "#executors td time")
        utc = datetime.datetime.fromisoformat(shown.get_attribute("datetime")[:-1])
        local = utc + datetime.timedelta(hours=5, minutes=30)
        self.assertEqual(shown.text, f"{local:%Y-%m-%d %H:%M:%S}")
        self.assertRegex(text_of(self.browser, "footer time"),
                         r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+05:30$")
        # 1970-01-01 05:30:00 there.
        self.assertEqual(self.browser.execute_script(
            "return [tickText(0, 1000), tickText(0, 2 * dayMs)]"), ["05:30:00", "01-01 05:30"])

    def test_times_of_the_history_are_in_utc_as_it_takes_them(self):
        app, end = self.run_program("--name", "in-utc", "--", "sleep", "600")
        end()
        self.browser.execute_cdp_cmd("Emulation.setTimezoneOverride",
                                     {"timezoneId": "Asia/Tokyo"})
        self.addCleanup(self.browser.execute_cdp_cmd, "Emulation.setTimezoneOverride",
                        {"timezoneId": ""})

        def ended():
            self.open(f"/history?kind=applications&id={app}")
            return text_of(self.browser, "td[data-label='Ended (UTC)']")

        text = wait_until("its end", ended)
        # What is shown is what finds it.
        self.open(f"/history?name=in-utc&since={urllib.parse.quote(text)}")
        self.assertIn(app, text_of(self.browser, "#entries"))

    def test_what_ends_comes_into_a_history_that_is_looked_at(self):
        app, end = self.run_program("--name", "ends-soon", "--", "sleep", "600")
        self.open("/history?name=ends-soon&since=1h")
        self.assertIn("Nothing that was looked for", text_of(self.browser, "#entries"))
        field = self.browser.find_element("name", "user")
        field.send_keys("half a na")
        end()
        self.wait_for_text("#entries", app)
        self.assertEqual(field.get_attribute("value"), "half a na")

    def test_an_event_is_shown_with_its_decision(self):
        self.open("/events")
        app, end = self.run_program("--name", "noted", "--", "sleep", "600")
        self.wait_for_text("#events", "executor-started")
        self.wait_for_text("#events", "free of 4 cores")
        end()
        self.wait_for_text("#events", "application-ended")
        self.open(f"/events?of={app}")
        self.assertNotIn("worker-registered", text_of(self.browser, "#events"))

    def test_a_form_shows_what_would_happen(self):
        self.open("/plan")
        self.browser.find_element("name", "executors").send_keys("2")
        self.browser.find_element("name", "user").send_keys("ann")
        self.browser.find_element("css selector", "form button").click()
        self.wait_for_text("#starts", "planned")
        self.assertIn("Nothing was changed.", text_of(self.browser, "#afterwards"))
        field = self.browser.find_element("name", "executors")
        self.assertEqual(field.get_attribute("value"), "2")

    def test_a_name_that_would_be_a_script_is_a_name(self):
        name = "<img src=x onerror=\"window.broken=1\"><script>window.broken=1</script>"
        app, _ = self.run_program("--name", name, "--", "sleep", "600")
        for path in ("/", "/applications", f"/applications/{app}", "/queues"):
            self.open(path)
            self.wait_for_text("main", name)
            self.assertIsNone(self.browser.execute_script("return window.broken"))

    def test_a_page_is_right_without_its_script(self):
        app, _ = self.run_program("--name", "plain", "--", "sleep", "600")
        with urllib.request.urlopen(self.cluster.url + "/applications") as answer:
            page = answer.read().decode()
        self.assertIn(f'<a href="/applications/{app}">{app}</a>', page)
        self.assertIn('<span class="badge state-', page)

    def test_a_page_fits_on_a_phone(self):
        self.browser.set_window_size(400, 800)
        try:
            for path in ("/", "/workers", "/applications", "/queues"):
                self.open(path)
                width, inner = self.browser.execute_script(
                    "return [document.scrollingElement.scrollWidth, innerWidth]")
                self.assertLessEqual(width, inner, path)
        finally:
            self.browser.set_window_size(1280, 900)

    def test_the_keyboard_reaches_everything(self):
        from selenium.webdriver.common.keys import Keys
        self.open("/workers")
        seen = []
        for _ in range(13):
            self.browser.switch_to.active_element.send_keys(Keys.TAB)
            seen.append(self.browser.switch_to.active_element.text)
        self.assertEqual(seen[:3], ["Go to the content", "Stoker", "Cluster"])
        self.assertTrue(any(x.startswith("worker-") for x in seen), seen)

    def test_a_lost_master_is_told_and_found_again(self):
        self.open("/workers")
        self.wait_for_text("#workers", "ALIVE")
        self.cluster.kill()
        self.wait_for_text("#lost", "The master is not reached")
        self.assertEqual(text_of(self.browser, "#master-status"), "not reached")
        # What stood there stays.
        self.assertIn("ALIVE", text_of(self.browser, "#workers"))
        self.cluster.start()
        wait_until("the note is gone", lambda: not text_of(self.browser, "#lost"))
        self.wait_for_text("#workers", "ALIVE")
        self.wait_for_text("#master-status", "ALIVE")


if __name__ == "__main__":
    unittest.main()
