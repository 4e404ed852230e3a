"""The Python client on a cluster of real processes.

usage: client_test.py [unittest's options] STOKER
"""

import asyncio
import concurrent.futures
import importlib.metadata
import os
import pathlib
import threading
import time
import unittest

import stoker
from stoker._deadline import Deadline
from stoker._run import Run
from support import ENDLESS, ClusterTest, wait_until


class ClientTest(ClusterTest):
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

    def test_the_first_failure_of_any_is_raised_at_once_and_ends_the_others(self):
        begin = time.monotonic()
        with self.assertRaises(stoker.Failed) as raised:
            stoker.run(["sh", "-c", "[ $STOKER_INDEX != 2 ] || exit 9; sleep 600"], n=3,
                       name="three")
        self.assertLess(time.monotonic() - begin, 30)
        self.assertEqual(raised.exception.result.exit_status, 9)
        wait_until("the others have ended", lambda: sorted(
            x["state"] for x in self.client.status()["completed_drivers"]
            if x["name"] == "three") == ["FAILED", "KILLED", "KILLED"])

    def test_what_takes_too_long_is_ended(self):
        with self.assertRaisesRegex(TimeoutError, "0 of 2"):
            stoker.run(ENDLESS, n=2, timeout=1, name="slow")
        wait_until("both have ended", lambda: [
            x["state"] for x in self.client.status()["completed_drivers"]
            if x["name"] == "slow"] == ["KILLED", "KILLED"])

    def test_output_of_what_never_began_ends(self):
        job = self.submit(ENDLESS, cores=99, wait=True)
        job.kill()
        begin = time.monotonic()
        said = f"[stoker] {job.id} has ended as KILLED before it was given to a worker"
        for follow in (True, False):
            lines = list(job.logs(follow=follow, timeout=30))
            self.assertEqual(len(lines), 1)
            self.assertTrue(lines[0].startswith(said), lines)
        flag = os.path.join(self.cluster.directory, "may-fail")
        failed = self.submit(["sh", "-c", f"while [ ! -e {flag} ]; do sleep 0.05; done; exit 1"])
        after = self.submit(["true"], after_ok=failed)
        with open(flag, "w", encoding="utf-8"):
            pass
        self.assertFalse(after.wait(60).ok)
        lines = list(after.logs(timeout=30))
        self.assertEqual(len(lines), 1)
        self.assertIn("has ended as FAILED before it was given to a worker: ", lines[0])
        self.assertLess(time.monotonic() - begin, 60)

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

    def test_programs_are_tasks_of_an_event_loop(self):
        async def first_of_two():
            slow = asyncio.create_task(self.submit(ENDLESS).completion())
            quick = asyncio.create_task(self.submit(["sh", "-c", "exit 4"]).completion())
            done, _ = await asyncio.wait({slow, quick}, timeout=60,
                                         return_when=asyncio.FIRST_COMPLETED)
            slow.cancel()
            return done == {quick} and quick.result().exit_status

        self.assertEqual(asyncio.run(first_of_two()), 4)

    def test_many_are_awaited_by_one_thread(self):
        jobs = [self.submit(ENDLESS, wait=True) for _ in range(20)]
        futures = [x.future() for x in jobs]
        threads = [x for x in threading.enumerate() if x.name == "stoker"]
        self.assertEqual(len(threads), 1)
        for job in jobs:
            job.kill()
        self.assertEqual({x.result(60).state for x in futures}, {"KILLED"})
        threads[0].join(60)
        self.assertFalse(threads[0].is_alive())

    def test_what_the_master_keeps_no_more_is_known_by_its_history(self):
        jobs = [self.submit(["sh", "-c", f"exit {i}"]) for i in range(2)]
        ended = [x.wait(60) for x in jobs]
        original = self.client.driver(jobs[0].id)
        # More than it keeps of those that have ended.
        for _ in range(8):
            self.client.run(["true"], n=25)
        wait_until("it is forgotten", lambda: self.is_forgotten(original["id"]))
        self.assertEqual([x.wait(60) for x in jobs], ended)

    def test_many_more_than_the_master_keeps_are_futures(self):
        jobs = [self.client.submit(["true"]) for _ in range(500)]
        wait_until("all have ended", lambda: not self.client.status()["active_drivers"], 120)
        begin = time.monotonic()
        futures = [x.future() for x in jobs]
        self.assertTrue(all(x.result(60).ok for x in futures))
        # Each singly would take a tenth of a second.
        self.assertLess(time.monotonic() - begin, 15)

    def test_looking_for_a_submission_starts_nothing(self):
        run = Run(self.client._master, {
            "command": ENDLESS, "name": "looked for", "environment": {}}, 1, None)
        with self.assertRaises(stoker.Error) as raised:
            run._find(run._programs[0], Deadline())
        self.assertEqual(raised.exception.status, 404)
        self.assertNotIn("looked for", self.cluster.log())
        status = self.client.status()
        self.assertNotIn("looked for", [
            x["name"] for x in status["active_drivers"] + status["completed_drivers"]])
        started = run._start(run._programs[0])
        self.addCleanup(self.client.kill, started)
        self.assertEqual(run._find(run._programs[0], Deadline()), started)

    def is_forgotten(self, driver):
        try:
            self.client.driver(driver)
            return False
        except stoker.Error as error:
            return error.status == 404

    def test_a_submission_that_is_given_starts_nothing_twice(self):
        first = self.submit(["true"], submission=self.id())
        self.assertEqual(self.submit(["true"], submission=self.id()).id, first.id)
        self.assertNotEqual(self.submit(["true"]).id, first.id)

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
        worker = self.client.workers()[0]
        self.assertEqual(self.client.worker(worker["id"])["cores"], 2)
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

    def test_output_of_executors_is_read(self):
        child, app = self.cluster.run("--", "sh", "-c", "echo one; echo two >&2; sleep 600")
        executor = wait_until("an executor", lambda: [
            f"{app}/{x['exec_id']}" for x in self.client.application(app)["executors"]])[0]
        self.assertEqual(self.client.executor(executor)["app_id"], app)
        lines = self.client.output(executor)
        self.assertEqual(next(lines), "one\n")
        self.assertEqual(next(self.client.output(executor, stream="stderr")), "two\n")
        self.client.kill(app)
        self.assertEqual(list(lines), [])
        child.wait(60)
        with self.assertRaises(ValueError):
            self.client.output(app)

    def test_events_are_followed(self):
        job = self.submit(["true"])
        events = self.client.events(of=job.id)
        for event in events:
            if job.id in event["fields"] and event["event"] == "driver-ended":
                break
        events.close()

    def test_what_is_wrong_is_told_in_one_line(self):
        for call, status, text in (
                (lambda: self.client.submit(["x"], cores=99), 409, "99"),
                (lambda: self.client.submit(["x"], cores=0), 400, "at least 1 core"),
                (lambda: self.client.driver("driver-9"), 404, "does not know driver-9"),
                (lambda: self.client.job("driver-9").wait(), 404, "does not know driver-9"),
                (lambda: list(self.client.output("driver-9")), 404, "driver is known"),
                (lambda: self.client.submit(["x" * 3_000_000]), 413, "too long"),
                (lambda: stoker.Client("http://127.0.0.1:1", retry_seconds=0).status(), 0,
                 "no master answers at http://127.0.0.1:1: ")):
            with self.assertRaises(stoker.Error) as raised:
                call()
            self.assertEqual(raised.exception.status, status)
            self.assertIn(text, raised.exception.detail)

    def test_what_would_mean_something_else_is_refused(self):
        for command in ("echo hello", b"echo", [b"true"], ["echo", None], ["echo", True]):
            with self.assertRaises(TypeError):
                self.client.submit(command)
        with self.assertRaises(TypeError):
            self.client.submit(["true"], environment={"A": b"x"})
        with self.assertRaises(TypeError):
            stoker.run("ls", corse=3)
        for url in ("127.0.0.1:8080", "ftp://127.0.0.1", "http://:8080", "http://a:x", ","):
            with self.assertRaises(ValueError):
                stoker.Client(url)
        result = self.submit(["sh", "-c", 'test "$0 $1 $A" = "/x 7 1.5"', pathlib.Path("/x"), 7],
                             environment={"A": 1.5}).wait(60)
        self.assertTrue(result.ok)

    def test_a_version_is_told(self):
        try:
            self.assertEqual(stoker.__version__, importlib.metadata.version("stoker-client"))
        except importlib.metadata.PackageNotFoundError:
            self.skipTest("the package is not installed")


if __name__ == "__main__":
    unittest.main()
