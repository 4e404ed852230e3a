"""The clock of a page, which a test moves on: time that nothing needs is not waited for.

The real time goes by too: what a page does when it hears of its master is waited for as ever.
"""

# Times that pass are those that the page knows of: of its dates and of its timers.
_CLOCK = """
(() => {
  const RealDate = Date;
  const begin = setTimeout.bind(window);
  const cancel = clearTimeout.bind(window);
  const timers = new Map();
  let ahead = 0;
  const now = () => RealDate.now() + ahead;
  window.Date = class extends RealDate {
    constructor(...words) {
      if (words.length) super(...words);
      else super(now());
    }
    static now() { return now(); }
  };
  window.setTimeout = (what, ms = 0) => {
    const id = begin(() => {
      timers.delete(id);
      what();
    }, ms);
    timers.set(id, { at: now() + ms, what });
    return id;
  };
  window.clearTimeout = (id) => {
    timers.delete(id);
    cancel(id);
  };
  const rest = () => new Promise((done) => { begin(done); });
  window.moveClock = async (ms) => {
    const end = now() + ms;
    for (;;) {
      const [next] = [...timers].sort(([, x], [, y]) => x.at - y.at);
      if (!next || next[1].at > end) break;
      const [id, { at, what }] = next;
      clearTimeout(id);
      ahead += Math.max(0, at - now());
      what();
      // What waits for it has its turn.
      await rest();
    }
    ahead += Math.max(0, end - now());
  };
})();
"""


def install(browser, test):
    """Gives it to the pages that are opened until the test has ended."""
    script = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": _CLOCK})
    test.addCleanup(browser.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", script)


def move(browser, seconds):
    """Everything has happened then that the page had planned until there."""
    browser.execute_async_script(
        "moveClock(1000 * arguments[0]).then(arguments[1])", seconds)
