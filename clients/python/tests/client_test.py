"""The Python client on a cluster of real processes.

usage: client_test.py [unittest's options] STOKER
"""

import asyncio
import concurrent.futures
import os
import sys
import unittest

import stoker

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(ROOT, "tests", "browser"))

from cluster import Cluster, wait_until  # noqa: E402  pylint: disable=wrong-import-position

PROGRAM = sys.argv.pop()
ENDLESS = ["sleep", "600"]


class ClientTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(PROGRAM, "--workers", "2", "--cores", "2", "--memory", "2g")
        try:
            cls.cluster.start()
        except BaseException:
            cls.cluster.stop()
            raise
        os.environ["STOKER_WEB_URL"] = cls.cluster.url
        cls.client = stoker.Client()

    @classmethod
    def tearDownClass(cls):
        cls.cluster.stop()

    def submit(self, command, **options):
        """What has not ended by then ends with the test."""
        job = self.client.submit(command, **options)

        def end():
            try:
                job.kill()
            except stoker.Error:
                pass

        self.addCleanup(end)
        return job

    def test_programs_run_and_know_their_numbers(self):
        out = os.path.join(self.cluster.directory, "numbers")
        results = stoker.run(
            ["sh", "-c", f"echo $STOKER_INDEX of $STOKER_COUNT >> {out}"], n=4)
        self.assertEqual([x.exit_status for x in results], [0] * 4)
        with open(out, encoding="utf-8") as file:
            self.assertEqual(sorted(file), [f"{i} of 4\n" for i in range(4)])

    def test_a_program_starts_after_others_and_another_after_it(self):
        out = os.path.join(self.cluster.directory, "order")

        def note(word):
            return ["sh", "-c", f"echo {word} $STOKER_ENDED_STATE >> {out}"]

        first = self.submit(["sh", "-c", f"sleep 0.3; echo first >> {out}"])
        second = self.submit(note("second"), after=first, after_ok=[first.id],
                             on_end=note("told"))
        self.assertTrue(second.wait().ok)

        def lines():
            with open(out, encoding="utf-8") as file:
                return file.read().splitlines()

        wait_until("all three have run", lambda: len(lines()) == 3)
        self.assertEqual(lines(), ["first", "second", "told FINISHED"])

    def test_what_needs_a_success_that_does_not_come_fails(self):
        first = self.submit(["false"])
        second = self.submit(["true"], after_ok=first)
        result = second.wait()
        self.assertFalse(result.ok)
        self.assertIn(first.id, second.status()["message"])
        with self.assertRaises(stoker.Error) as raised:
            self.client.submit(["true"], after="app-20200101000000-0000")
        self.assertEqual(raised.exception.status, 409)

    def test_a_failure_is_raised_with_its_reason(self):
        with self.assertRaises(stoker.Failed) as raised:
            stoker.run(["sh", "-c", "exit 3"])
        self.assertEqual(raised.exception.result.exit_status, 3)
        self.assertEqual(raised.exception.result.state, "FAILED")
        results = stoker.run(["sh", "-c", "exit 3"], check=False)
        self.assertFalse(results[0].ok)

    def test_output_comes_line_by_line_as_it_is_written(self):
        flag = os.path.join(self.cluster.directory, "flag")
        job = self.submit(["sh", "-c", "echo first; echo wrong >&2; "
                           f"while [ ! -e {flag} ]; do sleep 0.05; done; echo second"])
        lines = job.logs()
        self.assertEqual(next(lines), "first\n")
        # Only now does it write more.
        with open(flag, "w", encoding="utf-8"):
            pass
        self.assertEqual(list(lines), ["second\n"])
        self.assertEqual(list(job.logs(stream="stderr")), ["wrong\n"])

    def test_futures_and_timeouts(self):
        jobs = [self.submit(["sh", "-c", f"exit {i}"]) for i in range(3)]
        futures = {x.future(): i for i, x in enumerate(jobs)}
        done = {futures[x]: x.result().exit_status
                for x in concurrent.futures.as_completed(futures, timeout=60)}
        self.assertEqual(done, {0: 0, 1: 1, 2: 2})
        slow = self.submit(ENDLESS)
        with self.assertRaises(TimeoutError):
            slow.wait(timeout=0.2)
        self.assertFalse(slow.done())

    def test_a_program_is_awaited(self):
        async def both():
            return await asyncio.gather(self.submit(["true"]), self.submit(["true"]))

        self.assertTrue(all(x.ok for x in asyncio.run(both())))

    def test_a_program_is_shown_explained_and_ended(self):
        job = self.submit(ENDLESS, name="nap")
        self.assertEqual(job.status()["name"], "nap")
        self.assertEqual(job.explain()["driver_id"], job.id)
        self.assertEqual(self.client.job(job.id).status()["id"], job.id)
        job.kill()
        self.assertEqual(job.wait(60).state, "KILLED")
        with self.assertRaises(stoker.Error) as raised:
            job.kill()
        self.assertEqual(raised.exception.status, 409)

    def test_what_there_is_and_what_would_be(self):
        self.assertEqual(self.client.status()["status"], "ALIVE")
        self.assertEqual(len(self.client.status(applications=False)["workers"]), 2)
        self.assertIn("admitted", self.client.queues())
        self.assertEqual(self.client.jobs()["left_out"], 0)

    def test_what_has_ended_is_in_the_history(self):
        job = self.submit(["sh", "-c", "printf hello; exit 3"], name="brief")
        self.assertEqual(job.wait(60).exit_status, 3)
        entry = self.client.history(id=job.id)["entries"][0]
        self.assertEqual(entry["name"], "brief")
        self.assertEqual(entry["exit_status"], 3)
        self.assertEqual(entry["use"]["output_bytes"], 5)
        self.assertGreaterEqual(self.client.use()["months"][0]["drivers"], 1)
        with self.assertRaises(stoker.Error) as raised:
            self.client.history(kind="nonsense")
        self.assertEqual(raised.exception.status, 400)

    def test_what_would_be(self):
        plan = self.client.plan(add_workers=[{"count": 2, "cores": 4}])
        self.assertEqual(plan["total"]["cores"], 12)

    def test_an_application_is_shown_and_ended(self):
        child, app = self.cluster.run("--", "sleep", "600")
        self.assertEqual(self.client.application(app)["id"], app)
        self.assertTrue(self.client.explain(app)["found"])
        self.client.kill(app)
        child.wait(60)

    def test_events_are_followed(self):
        events = self.client.events(of="driver")
        job = self.submit(["true"])
        for event in events:
            if job.id in event["fields"] and event["event"] == "driver-ended":
                break
        events.close()

    def test_what_is_wrong_is_told_in_one_line(self):
        for call, status, text in (
                (lambda: self.client.submit(["x"], cores=99), 409, "99"),
                (lambda: self.client.submit(["x"], cores=0), 400, "at least 1 core"),
                (lambda: self.client.driver("driver-9"), 404, "does not know driver-9"),
                (lambda: stoker.Client("http://127.0.0.1:1").status(), 0, "no master")):
            with self.assertRaises(stoker.Error) as raised:
                call()
            self.assertEqual(raised.exception.status, status)
            self.assertIn(text, raised.exception.detail)
        with self.assertRaises(TypeError):
            self.client.submit("echo hello")


if __name__ == "__main__":
    unittest.main()
