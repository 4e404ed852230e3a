"""The Python client while masters end, hang, and take over from each other.

usage: outage_test.py [unittest's options] STOKER
"""

import asyncio
import os
import signal
import socket
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import stoker
from local_server import LocalServer
from support import ENDLESS, PROGRAM, Cluster, ClusterTest, free_port, wait_until

# Writes numbered lines in pieces that do not end where lines do.
COUNTING = ["sh", "-c", "for i in $(seq 40); do printf 'line '; sleep 0.1; echo $i; done"]
COUNTED = [f"line {i}\n" for i in range(1, 41)]


class KeepsFirstAnswer(LocalServer):
    """The way to a master, on which the first answer is lost and the connection stays."""

    def __init__(self, port, on_kept):
        self.port = port
        self.on_kept = on_kept
        self.first = iter([True])
        super().__init__()

    def take(self, connection):
        is_first = next(self.first, False)
        master = socket.create_connection(("127.0.0.1", self.port))
        threading.Thread(target=self.pump, args=(connection, master, False), daemon=True).start()
        self.pump(master, connection, is_first)

    def pump(self, source, sink, is_kept):
        try:
            with source:
                while data := source.recv(65536):
                    if is_kept:
                        self.on_kept()
                        self.is_over.wait(60)
                        return
                    sink.sendall(data)
                sink.shutdown(socket.SHUT_WR)
        except OSError:
            # One of them has gone.
            pass


class OutageTest(ClusterTest):
    def restart(self):
        self.cluster.kill()
        self.cluster.start()

    def start(self, script, name="up"):
        """A program that runs: its worker ends with the master."""
        up = self.path(name)
        job = self.submit(["sh", "-c", f"touch {up}; {script}"], name=name)
        wait_until("it runs", lambda: os.path.exists(up))
        return job

    def test_output_goes_on_where_it_was(self):
        job = self.submit(COUNTING)
        lines = job.logs()
        seen = [next(lines) for _ in range(5)]
        self.restart()
        seen += lines
        self.assertEqual(seen, COUNTED)
        self.assertTrue(job.wait(60).ok)

    def test_output_of_what_ends_meanwhile_is_whole(self):
        job = self.submit(["sh", "-c", f"for i in 1 2 3; do echo $i; done; "
                           f"while [ ! -e {self.path('flag')} ]; do sleep 0.05; done; "
                           f"seq 4 20000; touch {self.path('done')}"])
        lines = job.logs()
        seen = [next(lines) for _ in range(3)]
        self.cluster.kill()
        with open(self.path("flag"), "w", encoding="utf-8"):
            pass
        wait_until("it has ended", lambda: os.path.exists(self.path("done")))
        self.cluster.start()
        seen += lines
        self.assertEqual(seen, [f"{i}\n" for i in range(1, 20001)])

    def test_a_line_without_an_end_is_one_line(self):
        job = self.submit(["printf", "first\\nlast"])
        self.assertEqual(list(job.logs()), ["first\n", "last"])
        self.assertEqual(list(job.logs(follow=False)), ["first\n", "last"])
        self.assertEqual(list(job.logs(tail=3)), ["ast"])

    def test_output_that_began_at_its_tail_is_not_gone_on_with_by_guessing(self):
        job = self.submit(["sh", "-c", "seq 1000; sleep 600"])
        wait_until("all is written", lambda: len(list(job.logs(follow=False))) == 1000)
        lines = job.logs(tail=9)
        self.assertEqual(next(lines), "999\n")
        self.restart()
        with self.assertRaisesRegex(stoker.Error, "cut off"):
            list(lines)

    def test_ends_are_waited_for(self):
        flag = self.path("flag")
        jobs = [self.start(f"while [ ! -e {flag} ]; do sleep 0.05; done; exit {i}", f"up{i}")
                for i in range(3)]

        async def completion():
            return await jobs[0]

        with ThreadPoolExecutor() as pool:
            waiting = [pool.submit(jobs[0].wait), pool.submit(asyncio.run, completion()),
                       *(x.future() for x in jobs)]
            self.restart()
            with open(flag, "w", encoding="utf-8"):
                pass
            self.assertEqual([x.result(60).exit_status for x in waiting], [0, 0, 0, 1, 2])

    def test_programs_are_started_once(self):
        with ThreadPoolExecutor() as pool:
            self.cluster.kill()
            starting = pool.submit(self.submit, ["true"], name="once")
            running = pool.submit(self.client.run, ["true"], n=2, name="twice")
            self.cluster.start()
            self.assertTrue(starting.result(60).wait(60).ok)
            self.assertEqual(len(running.result(60)), 2)
        names = [x["name"] for x in self.client.status()["completed_drivers"]]
        self.assertEqual((names.count("once"), names.count("twice")), (1, 2))

    def test_programs_are_ended_when_a_master_is_there_again(self):
        job = self.start("sleep 600")
        with ThreadPoolExecutor() as pool:
            self.cluster.kill()
            ending = pool.submit(job.kill)
            self.cluster.start()
            ending.result(60)
        self.assertEqual(job.wait(60).state, "KILLED")

    def test_events_go_on(self):
        events = self.client.events()
        first = self.submit(["true"])
        keys = []

        def read_until_end_of(job):
            for event in events:
                keys.append((event["event"], event["fields"]))
                if event["event"] == "driver-ended" and job.id in event["fields"]:
                    return

        read_until_end_of(first)
        self.restart()
        second = self.submit(["true"])
        read_until_end_of(second)
        events.close()
        ends = [x for x in keys if x[0] == "driver-ended"]
        self.assertEqual(len(ends), len(set(ends)))

    def test_times_are_kept_while_a_master_hangs(self):
        job = self.submit(ENDLESS)
        quiet = job.logs(timeout=1.5)
        events = self.client.events(of="nothing", timeout=1.5)
        self.time_out_while_the_master_hangs(
            lambda: job.wait(1.5), lambda: list(quiet), lambda: list(events),
            lambda: self.client.run(["true"], timeout=1.5))
        begin = time.monotonic()
        with self.assertRaises(TimeoutError):
            list(job.logs(timeout=1))
        self.assertGreater(time.monotonic() - begin, 0.9)

    def test_a_client_s_timeout_is_that_of_each_question_of_a_job(self):
        job = stoker.Client(self.cluster.url, timeout=1.5).job(self.submit(ENDLESS).id)
        self.time_out_while_the_master_hangs(job.done, job.status, job.explain, job.kill)

    def time_out_while_the_master_hangs(self, *calls):
        self.cluster.master.send_signal(signal.SIGSTOP)
        # Before that it may answer.
        os.waitid(os.P_PID, self.cluster.master.pid, os.WSTOPPED)
        try:
            for call in calls:
                begin = time.monotonic()
                with self.assertRaises(TimeoutError):
                    call()
                self.assertLess(time.monotonic() - begin, 10)
        finally:
            self.cluster.master.send_signal(signal.SIGCONT)

    def test_a_run_that_is_given_up_while_a_master_hangs_does_not_wait_for_it(self):
        stop, go = (lambda: self.cluster.master.send_signal(signal.SIGSTOP),
                    lambda: self.cluster.master.send_signal(signal.SIGCONT))
        interrupt = (lambda: os.kill(os.getpid(), signal.SIGINT))
        for timeout, events, error, longest in (
                (2, ((1, stop),), TimeoutError, 5),
                (None, ((1, stop), (2, interrupt)), KeyboardInterrupt, 5)):
            timers = [threading.Timer(after, f) for after, f in events]
            begin = time.monotonic()
            try:
                for timer in timers:
                    timer.start()
                with self.assertWarns(RuntimeWarning), self.assertRaises(error):
                    self.client.run(ENDLESS, n=3, timeout=timeout, name="given up")
                self.assertLess(time.monotonic() - begin, longest)
            finally:
                go()
            for name in self.ids_of("given up"):
                try:
                    self.client.kill(name)
                except stoker.Error:
                    # The master has read that before.
                    pass

    def test_a_program_that_was_being_started_ends_with_its_run(self):
        def interrupt():
            os.kill(os.getpid(), signal.SIGINT)

        for timeout, on_kept, error in ((None, interrupt, KeyboardInterrupt),
                                        (2, lambda: None, TimeoutError)):
            line = KeepsFirstAnswer(self.cluster.web_port, on_kept)
            self.addCleanup(line.close)
            with self.assertRaises(error):
                stoker.Client(line.url).run(ENDLESS, n=3, timeout=timeout, name="begun")
            wait_until("it has ended", lambda: not self.ids_of("begun"))
        self.assertEqual([x["state"] for x in self.client.status()["completed_drivers"]
                          if x["name"] == "begun"], ["KILLED", "KILLED"])

    def test_who_waits_for_no_longer_is_told(self):
        client = stoker.Client(self.cluster.url, retry_seconds=1)
        job = self.start("sleep 600")
        lines = client.output(job.id)
        self.cluster.kill()
        try:
            for call in (client.job(job.id).wait, client.job(job.id).future().result,
                         lambda: list(lines)):
                with self.assertRaisesRegex(stoker.Error, "no master answers at"):
                    call()
        finally:
            self.cluster.start()

    def test_programs_that_cannot_be_ended_are_named(self):
        client = stoker.Client(self.cluster.url, retry_seconds=0.5)
        with ThreadPoolExecutor() as pool:
            running = pool.submit(self.run_and_warnings, client)
            wait_until("both run", lambda: all(
                os.path.exists(self.path(str(i))) for i in range(2)))
            names = self.ids_of("left")
            self.cluster.kill()
            try:
                error, warning = running.result(60)
            finally:
                self.cluster.start()
        self.assertIsInstance(error, stoker.Error)
        for name in names:
            self.assertIn(name, warning)
            self.client.kill(name)

    def ids_of(self, name):
        return [x["id"] for x in self.client.status()["active_drivers"] if x["name"] == name]

    def run_and_warnings(self, client):
        with self.assertWarns(RuntimeWarning) as warned:
            with self.assertRaises(stoker.Error) as raised:
                client.run(["sh", "-c", f"touch {self.path('')}$STOKER_INDEX; sleep 600"],
                           n=2, name="left")
        return raised.exception, str(warned.warning)


class FailoverTest(unittest.TestCase):
    """Two masters of one cluster, and a worker."""

    def setUp(self):
        self.cluster = Cluster(PROGRAM)
        self.addCleanup(self.cluster.stop)
        ports = [free_port(), free_port()]
        self.cluster.environment["STOKER_MASTER"] = ",".join(
            f"stoker://127.0.0.1:{x}" for x in ports)
        self.urls = []
        self.masters = [self.start_master(x) for x in ports]
        self.cluster.spawn("worker", self.cluster.environment["STOKER_MASTER"].replace(
            ",stoker://", ","), "--cores", "2", "--memory", "1g",
            "--work-dir", os.path.join(self.cluster.directory, "work"))
        self.client = stoker.Client(self.urls)
        wait_until("the worker is there", self.client.workers)

    def start_master(self, port):
        web_port = free_port()
        self.urls.insert(0, f"http://127.0.0.1:{web_port}")
        master = self.cluster.spawn(
            "master", "--port", str(port), "--web-port", str(web_port), "--rest-port", "0",
            "--spark-port", "0", "--data", os.path.join(self.cluster.directory, "data"))
        # The first one leads.
        wait_until("it answers", lambda: self.standing_of(self.urls[0]))
        return master

    @staticmethod
    def standing_of(url):
        try:
            return stoker.Client(url, retry_seconds=0).status()["status"]
        except stoker.Error as error:
            return error.status

    def test_the_one_that_leads_is_found_and_found_again(self):
        with self.assertRaises(stoker.Error) as raised:
            stoker.Client(self.urls[0], retry_seconds=0).status()
        self.assertEqual(raised.exception.status, 503)
        self.assertEqual(self.client.url, self.urls[1])
        client = stoker.Client(",".join(self.urls))
        job = client.submit(COUNTING)
        events = client.events(of=job.id)
        next(events)
        lines = job.logs()
        seen = [next(lines)]
        future = job.future()
        self.masters[0].send_signal(signal.SIGKILL)
        seen += lines
        self.assertEqual(seen, COUNTED)
        self.assertTrue(future.result(60).ok)
        self.assertEqual(client.url, self.urls[0])
        self.assertTrue(any(x["event"] == "driver-ended" for x in events))
        again = client.submit(["true"])
        self.assertTrue(again.wait(60).ok)


if __name__ == "__main__":
    unittest.main()
