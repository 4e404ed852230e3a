"""Pages can be read: on a phone, in the dark, by keyboard, by ear, without a script.

usage: reading_test.py [unittest's options] STOKER
"""

import subprocess
import unittest

from cluster import PATIENCE_S, open_browser, wait_until
from page_case import PageTestCase, text_of

# How well one colour stands out from another, as WCAG counts it.
CONTRAST = """
const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
function rgba(color) {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = color;
  canvas.fillRect(0, 0, 1, 1);
  return canvas.getImageData(0, 0, 1, 1).data;
}
function behind(element) {
  for (let x = element; x; x = x.parentElement) {
    const color = getComputedStyle(x).backgroundColor;
    if (rgba(color)[3] === 255) return color;
  }
  return 'white';
}
function light(color) {
  const [r, g, b] = [...rgba(color)].slice(0, 3).map((x) => x / 255)
    .map((x) => (x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function contrast(a, b) {
  const [x, y] = [light(a), light(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}
"""


class ReadingTest(PageTestCase):
    def use_scheme(self, scheme):
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.addCleanup(self.browser.execute_cdp_cmd, "Emulation.setEmulatedMedia",
                        {"features": []})

    def use_width(self, width):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False})
        self.addCleanup(self.browser.execute_cdp_cmd,
                        "Emulation.clearDeviceMetricsOverride", {})

    def evaluate(self, script, *arguments):
        return self.browser.execute_script(CONTRAST + script, *arguments)

    def run_sleeper(self, name="sleeper"):
        return self.run_program("-n", "2", "--name", name, "--", "sleep", "600")[0]

    def submit(self, *words):
        subprocess.run([self.cluster.stoker, "submit", *words], check=True,
                       env=self.cluster.environment, capture_output=True,
                       timeout=PATIENCE_S)

    def test_a_driver_that_restarts_looks_like_a_warning_and_a_lost_worker_like_a_failure(self):
        self.open("/")
        colors = [self.browser.execute_script(
            "const x = document.createElement('span');"
            "x.className = `badge state-${arguments[0]}`;"
            "document.body.append(x);"
            "return getComputedStyle(x).backgroundColor", state)
                  for state in ("driver-restarts", "WAITING", "worker-lost", "FAILED")]
        self.assertEqual(colors[0], colors[1])
        self.assertEqual(colors[2], colors[3])
        self.assertNotEqual(colors[0], colors[2])

    # -- narrow and wide ----------------------------------------------------------

    def test_every_choice_of_a_form_is_shown_whole(self):
        for width in (375, 768, 1280):
            self.use_width(width)
            for path in ("/history", "/applications", "/drivers"):
                self.open(path)
                self.assertEqual(self.browser.execute_script(
                    "return [...document.querySelectorAll('select')].filter((x) => {"
                    "  const whole = x.cloneNode(true);"
                    "  whole.style.width = 'max-content';"
                    "  x.after(whole);"
                    "  return whole.offsetWidth > x.offsetWidth;"
                    "}).map((x) => x.name)"), [], (width, path))

    def test_on_a_phone_each_row_says_what_its_values_are(self):
        app = self.run_sleeper("name-without-any-space-" * 8)
        self.use_width(375)
        for path in ("/", "/workers", "/applications", "/queues", "/events", "/jobs",
                     f"/applications/{app}", "/history", "/plan"):
            self.open(path)
            self.assertLessEqual(self.browser.execute_script(
                "return document.scrollingElement.scrollWidth"), 375, path)
            # No table hides something at its right.
            hidden = self.browser.execute_script(
                "return [...document.querySelectorAll('.table-responsive, .table td')]"
                ".filter((x) => x.scrollWidth > x.clientWidth + 1)"
                ".map((x) => x.textContent)")
            self.assertEqual(hidden, [], path)
        self.open("/applications")
        rows = self.browser.execute_script(
            "return [...document.querySelectorAll('#applications tbody tr:first-child td')]"
            ".map((x) => [getComputedStyle(x, '::before').content, x.innerText])")
        self.assertIn('"Application"', [x[0] for x in rows])
        self.assertIn(['"State"', "RUNNING"], rows)
        # One thing below the other, ids in one line.
        height = self.browser.execute_script(
            "return document.querySelector('#applications td a').offsetHeight")
        self.assertLess(height, 30)

    def test_no_table_hides_columns_where_there_is_room(self):
        app = self.run_sleeper("a name with several words")
        other, end = self.run_program("-n", "3", "--name", "other", "--", "sleep", "600")
        end()
        self.submit("--name", "driver with a name", "--", "false")

        def is_known():
            self.open(f"/history?id={other}")
            return "KILLED" in text_of(self.browser, "#entries")

        wait_until("its history", is_known)
        for width in (601, 768, 1001, 1280, 1920):
            self.use_width(width)
            for path in ("/", "/workers", "/applications", f"/applications/{app}",
                         "/drivers?state=ended", "/queues", "/events", "/history",
                         f"/history?id={other}", "/plan?executors=2&end-app=" + app):
                self.open(path)
                hidden = self.browser.execute_script(
                    "return [...document.querySelectorAll('.table-responsive')]"
                    ".filter((x) => x.scrollWidth > x.clientWidth + 1)"
                    ".map((x) => [x.scrollWidth, x.innerText.slice(0, 300)])")
                self.assertEqual(hidden, [], (width, path))

    def test_drivers_that_run_for_long_hide_no_columns(self):
        for name in ("nightly import of sales", "nightly import of the sales of last year"):
            self.submit("--name", name, "--", "sleep", "600")
        for width in (1201, 1280, 1366):
            self.use_width(width)
            for path in ("/", "/drivers"):
                self.open(path)
                self.wait_for_text("#drivers", "sales of last year")
                self.assertEqual(self.browser.execute_script(
                    "for (const x of document.querySelectorAll('[data-since]'))"
                    "  x.dataset.since = Date.now() - clockOffset - (17 * 60 + 56) * 1000;"
                    "showDurations();"
                    "return [...document.querySelectorAll('.table-responsive')]"
                    ".filter((x) => x.scrollWidth > x.clientWidth + 1)"
                    ".map((x) => [x.scrollWidth, x.clientWidth, x.innerText.slice(0, 300)])"),
                    [], (width, path))

    def test_a_row_of_a_phone_has_several_values_in_a_line(self):
        self.run_sleeper()
        self.use_width(375)
        self.open("/applications")
        lines = self.browser.execute_script(
            "return [...document.querySelectorAll('#applications tbody tr:first-child td')]"
            ".map((x) => x.offsetTop)")
        self.assertLess(len(set(lines)), len(lines))

    def test_a_long_list_is_not_much_longer_on_a_phone(self):
        self.run_sleeper()
        self.use_width(375)
        self.open("/events")
        self.wait_for_text("#events", "executor-started")
        height, rows = self.browser.execute_script(
            "return [document.scrollingElement.scrollHeight,"
            "document.querySelectorAll('#events tbody tr').length]")
        self.assertLess(height, 800 + 300 * rows)

    def test_ids_times_and_amounts_stay_in_one_line(self):
        self.run_sleeper("a long name with many words, " * 6)
        for width in (1280, 900):
            self.use_width(width)
            for path in ("/", "/applications", "/workers", "/events"):
                self.open(path)
                broken = self.browser.execute_script(
                    "const broken = [];"
                    # What is said of an end is a sentence.
                    "for (const cell of document.querySelectorAll("
                    "    'td:not(.long):not([data-label=Message])')) {"
                    "  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);"
                    "  while (texts.nextNode()) {"
                    "    const range = document.createRange();"
                    "    range.selectNodeContents(texts.currentNode);"
                    "    if (range.getClientRects().length > 1) broken.push(cell.innerText);"
                    "  }"
                    "}"
                    "return broken")
                self.assertEqual(broken, [], path)
                tall = self.browser.execute_script(
                    "return Math.max(0, ...[...document.querySelectorAll('tbody tr')]"
                    ".map((x) => x.offsetHeight))")
                self.assertLess(tall, 130, path)

    def test_a_very_long_name_has_a_few_lines_among_facts(self):
        app = self.run_sleeper("a" * 2000)
        for width in (375, 1280):
            self.use_width(width)
            self.open(f"/applications/{app}")
            shown, whole = self.browser.execute_script(
                "const name = document.querySelector('#facts dd');"
                "return [name.clientHeight, name.scrollHeight]")
            self.assertLess(shown, 250, width)
            # What is not in sight is scrolled to.
            self.assertGreater(whole, shown)
            self.assertGreater(whole, 300)

    # -- colours ------------------------------------------------------------------

    def test_everything_stands_out_in_light_and_dark(self):
        app = self.run_sleeper()
        for scheme in ("light", "dark"):
            self.use_scheme(scheme)
            for path in ("/", "/plan", "/events", f"/applications/{app}",
                         f"/applications/{app}/kill"):
                self.open(path)
                texts = self.evaluate(
                    "return [...document.querySelectorAll("
                    "'a, .btn, td, th, dt, dd, p, .badge, label, legend, h1, h2, footer')]"
                    ".filter((x) => x.innerText)"
                    ".map((x) => [x.innerText.slice(0, 40), x.className,"
                    "  contrast(getComputedStyle(x).color, behind(x))])"
                    ".concat([...document.querySelectorAll('input[placeholder]')].map((x) =>"
                    "  [x.placeholder, 'placeholder',"
                    "   contrast(getComputedStyle(x, '::placeholder').color, behind(x))]))"
                    ".filter(([, , x]) => x < 4.5)")
                self.assertEqual(texts, [], (scheme, path))
                borders = self.evaluate(
                    "return [...document.querySelectorAll("
                    "'input:not([type=hidden]), .btn-outline-danger, .btn-outline-secondary')]"
                    ".map((x) => [x.name ?? x.innerText, contrast("
                    "  getComputedStyle(x).borderTopColor, behind(x.parentElement))])"
                    ".filter(([, x]) => x < 3)")
                self.assertEqual(borders, [], (scheme, path))
            lines = self.evaluate(
                "return [...Array(7).keys()].map((i) => contrast("
                "lineColor(i), behind(document.body))).filter((x) => x < 3)")
            self.assertEqual(lines, [], scheme)

    def test_a_chart_follows_a_change_of_scheme(self):
        self.use_scheme("light")
        app = self.run_sleeper()
        self.open(f"/applications/{app}")
        script = ("const x = document.querySelector('canvas[data-chart]');"
                  "const chart = window.Chart && Chart.getChart(x); if (!chart) return 0;"
                  "return [chart.options.scales.x.ticks.color,"
                  " getComputedStyle(document.querySelector('.chart-lines button')).color,"
                  " chart.data.datasets[0].borderColor]"
                  ".map((c) => contrast(c, behind(x)))")
        first = wait_until("a chart", lambda: self.evaluate(script))
        self.assertGreater(min(first), 3)
        self.use_scheme("dark")
        wait_until("its new colours", lambda: min(self.evaluate(script)) > 3)

    def test_lines_of_a_chart_differ_in_more_than_their_colour(self):
        self.open("/queues")
        wait_until("the script", lambda: self.browser.execute_script(
            "return Boolean(window.Chart)"))
        looks = self.browser.execute_script(
            "const lines = [...Array(12).keys()].map((i) => ({ name: `c${i}`, points: [[0, 1]] }));"
            "return chartData(lines).datasets.map((x) => JSON.stringify(x.borderDash))")
        for one, other in zip(looks, looks[1:]):
            self.assertNotEqual(one, other)

    def test_every_line_of_a_chart_is_named_at_all_widths(self):
        names = [f"a-company-with-a-long-name-{i}" for i in range(12)] + ["(others)"]
        for width in (360, 768, 1280):
            self.use_width(width)
            self.open("/queues")
            wait_until("the chart", lambda: self.browser.execute_script(
                "return document.querySelectorAll('.chart-lines li').length"))
            shown = self.browser.execute_script(
                "const canvas = document.querySelector('canvas[data-chart]');"
                "canvas.dataset.chart = JSON.stringify(arguments[0].map("
                "  (name) => ({ name, points: [[0, 1], [1000, 2]] })));"
                "showCharts();"
                "const lines = [...document.querySelectorAll('.chart-lines li')];"
                "const area = Chart.getChart(canvas).chartArea;"
                "return [lines.map((x) => x.innerText),"
                "  lines.filter((x) => x.getBoundingClientRect().right > innerWidth"
                "    || x.scrollWidth > x.clientWidth + 1).length,"
                "  new Set(lines.map((x) => { const y = x.querySelector('line');"
                "    return y.style.stroke + y.getAttribute('stroke-dasharray'); })).size,"
                "  area.height / canvas.clientHeight]", names)
            self.assertEqual(shown[0], names, width)
            self.assertEqual(shown[1], 0, width)
            self.assertEqual(shown[2], len(names))
            # They leave the chart its room.
            self.assertGreater(shown[3], 0.8, width)

    def test_the_values_of_a_chart_that_were_opened_stay_open(self):
        app = self.run_sleeper()
        self.open(f"/applications/{app}")
        values = self.browser.find_element("css selector", "#chart details")
        # By its script: what is above it may still be growing.
        self.browser.execute_script("arguments[0].querySelector('summary').click()", values)
        self.assertIn("executors", values.text)
        self.browser.execute_script(
            # As it is sent: the chart has styled itself since.
            "const sent = document.getElementById('chart').cloneNode(true);"
            "for (const x of sent.querySelectorAll('*'))"
            "  for (const name of ['open', 'style']) x.removeAttribute(name);"
            "showSection({ id: 'chart', html: sent.innerHTML });")
        self.assertIsNotNone(values.get_attribute("open"))
        self.assertTrue(values.find_element("css selector", "td time").is_displayed())

    def test_a_line_of_a_chart_is_hidden_until_it_is_wanted_again(self):
        app = self.run_sleeper()
        self.open(f"/applications/{app}")
        button = wait_until("a line's name", lambda: self.browser.find_elements(
            "css selector", ".chart-lines button"))[0]
        is_shown = ("return Chart.getChart(document.querySelector('canvas[data-chart]'))"
                    ".isDatasetVisible(0)")
        for is_wanted in (False, True):
            self.browser.execute_script("arguments[0].click()", button)
            self.assertEqual(button.get_attribute("aria-pressed"), str(is_wanted).lower())
            self.assertEqual(self.browser.execute_script(is_shown), is_wanted)

    # -- by keyboard and by ear -----------------------------------------------------

    def test_the_focus_is_seen_on_everything(self):
        from selenium.webdriver.common.keys import Keys
        app = self.run_sleeper()
        for scheme in ("light", "dark"):
            self.use_scheme(scheme)
            for path in ("/plan", "/events", f"/applications/{app}/kill"):
                self.open(path)
                kinds = set()
                for _ in range(40):
                    self.browser.switch_to.active_element.send_keys(Keys.TAB)
                    kind, style, width, contrast = self.evaluate(
                        "const x = document.activeElement; const y = getComputedStyle(x);"
                        "return [x.tagName, y.outlineStyle, parseFloat(y.outlineWidth),"
                        " contrast(y.outlineColor, behind(x.parentElement ?? x))]")
                    if kind == "BODY":
                        break
                    kinds.add(kind)
                    self.assertEqual(style, "solid", (scheme, path, kind))
                    self.assertGreaterEqual(width, 2)
                    self.assertGreaterEqual(contrast, 3, (scheme, path, kind))
                self.assertIn("BUTTON", kinds)

    def test_everything_has_a_name_and_ids_are_ids(self):
        app = self.run_sleeper("two words")
        for path in ("/", "/workers", "/applications", f"/applications/{app}", "/queues",
                     f"/executors/{app}/0", "/events", "/history", "/plan"):
            self.open(path)
            faults = self.browser.execute_script("""
                const named = (x) => x.caption || x.getAttribute('aria-label')
                  || document.getElementById(x.getAttribute('aria-labelledby'));
                const ids = [...document.querySelectorAll('[id]')].map((x) => x.id);
                return [
                  ...[...document.querySelectorAll('table, section, pre')]
                    .filter((x) => !named(x)).map((x) => x.outerHTML.slice(0, 80)),
                  ...ids.filter((x) => !x || /\\s/.test(x)),
                  ...ids.filter((x, i) => ids.indexOf(x) !== i),
                ]""")
            self.assertEqual(faults, [], path)
            self.assertEqual(self.browser.execute_script(
                "return document.getElementById('lost').getAttribute('role')"), "status")
        self.open(f"/applications/{app}")
        self.assertEqual(text_of(self.browser, "h1"), f"Application {app}: two words")
        self.assertIn("two words", self.browser.title)

    def test_a_table_stays_one_for_who_listens_to_it_on_a_phone(self):
        self.run_sleeper()
        self.use_width(375)
        self.open("/applications")
        roles = [x["role"]["value"] for x in self.browser.execute_cdp_cmd(
            "Accessibility.getFullAXTree", {})["nodes"] if "role" in x]
        for role in ("table", "row", "columnheader", "cell", "status"):
            self.assertIn(role, roles)

    # -- without a script -------------------------------------------------------------

    def test_without_a_script_nothing_stands_there_empty(self):
        app = self.run_sleeper()
        plain = open_browser(words=["--blink-settings=scriptEnabled=false"])
        self.addCleanup(plain.quit)
        plain.get(f"{self.cluster.url}/applications/{app}")
        self.assertIn("The chart needs JavaScript.", plain.page_source)
        self.assertEqual(
            [x.is_displayed() for x in plain.find_elements("css selector", ".chart")], [False])
        plain.get(f"{self.cluster.url}/executors/{app}/0")
        for x in plain.find_elements("css selector", ".output"):
            self.assertFalse(x.is_displayed())
        self.assertEqual(len(plain.find_elements("link text", "All of it as text")), 2)


if __name__ == "__main__":
    unittest.main()
