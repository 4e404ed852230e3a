"""The Python client and answers that a master gives seldom: byte by byte, from a server of the
test's own.

usage: wire_test.py [unittest's options] STOKER
"""

import copy
import json
import logging
import os
import pickle
import signal
import threading
import time
import unittest
import warnings

import stoker
from stoker._deadline import Deadline
from stoker._watch import Watcher
from local_server import LocalServer
from support import ROOT

logging.getLogger("stoker").setLevel(logging.ERROR)

READY = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
STANDBY = b"HTTP/1.1 503 Unavailable\r\nContent-Length: 26\r\n\r\n" b'{"detail": "it stands by"}'
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
UNTIL_CLOSED = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
END = b"0\r\n\r\n"


def answer(body, status="200 OK"):
    data = json.dumps(body).encode()
    return b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n" % (status.encode(), len(data)) + data


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


def driver(state):
    return answer({"state": state, "relaunched_as": None, "exit_status": 0, "message": None})


GONE = answer({"detail": "gone"}, "404 Not Found")


class Script(LocalServer):
    """Gives its answers one after the other to those who ask for a path; the last one for
    ever. An answer is bytes, after which the connection is closed, or None: nothing."""

    def __init__(self, answers):
        self.answers = {path: list(x) for path, x in answers.items()}
        self.requests = []
        self.submission = None
        super().__init__()

    def take(self, connection):
        try:
            self.reply(connection)
        except OSError:
            # He has heard enough.
            pass

    def reply(self, connection):
        with connection, connection.makefile("rb") as file:
            words = file.readline().split()
            length = 0
            while (field := file.readline().strip()):
                name, _, value = field.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            path = words[1].decode().partition("?")[0].replace("/api/v1", "")
            if path.startswith("/submissions/"):
                # Nobody else knows which.
                path, self.submission = "/submissions", path[len("/submissions/"):]
            answers = self.answers.get(path, [READY])
            reply = answers.pop(0) if len(answers) > 1 else answers[0]
            if reply == "early":
                # As one who does not want the rest of the body.
                connection.sendall(answer({"detail": "too long"}, "413 Too Large"))
                self.requests.append((path, None))
                return
            self.requests.append((path, file.read(length)))
            if reply is None:
                self.is_over.wait(60)
                return
            for piece in reply if isinstance(reply, list) else [reply]:
                connection.sendall(piece)
                if piece is not reply:
                    self.is_over.wait(0.2)


class ScriptTest(unittest.TestCase):
    def client(self, answers, **options):
        self.script = Script(answers)
        self.addCleanup(self.script.close)
        return stoker.Client(self.script.url, **{"retry_seconds": 5, **options})

    def asked(self, path):
        return sum(1 for x, _ in self.script.requests if x == path)


class WireTest(ScriptTest):
    def output_of(self, *answers, states=("FINISHED",), **options):
        client = self.client({"/drivers/driver-1/output": answers,
                              "/drivers/driver-1": [driver(x) for x in states]})
        return list(client.output("driver-1", **options))

    def test_an_answer_that_is_whole_is_asked_for_once(self):
        self.assertEqual(self.output_of(CHUNKED + chunk(b"a\nb") + chunk(b"c\nd") + END),
                         ["a\n", "bc\n", "d"])
        self.assertEqual(self.asked("/drivers/driver-1/output"), 1)

    def test_what_was_cut_off_anywhere_is_handed_out_once(self):
        text = b"one\ntwo\nthree\n\nlast"
        whole = CHUNKED + chunk(text[:6]) + chunk(text[6:]) + END
        for cut in range(0, len(whole), 3):
            with self.subTest(cut=cut):
                self.assertEqual("".join(self.output_of(whole[:cut], whole)), text.decode())
        whole = UNTIL_CLOSED + text
        for cut in range(0, len(whole), 5):
            with self.subTest(until_closed=cut):
                self.assertEqual("".join(self.output_of(whole[:cut], whole)), text.decode())

    def test_an_end_before_the_program_s_is_none(self):
        self.assertEqual(
            self.output_of(CHUNKED + chunk(b"a\nb") + END, CHUNKED + chunk(b"a\nb\nc\n") + END,
                           states=("RUNNING", "RUNNING", "FINISHED")), ["a\n", "b\n", "c\n"])

    def test_what_there_is_ends_although_the_program_goes_on(self):
        self.assertEqual(self.output_of(CHUNKED + chunk(b"a\nb") + END, states=("RUNNING",),
                                        follow=False), ["a\n", "b"])

    def test_output_that_is_kept_no_more_is_not_made_up(self):
        begun = CHUNKED + chunk(b"a\nb\n")
        with self.assertRaisesRegex(stoker.Error, "not kept any more"):
            self.output_of(begun, CHUNKED + chunk(b"c\nd\ne\n") + END)

    def test_a_worker_that_comes_back_later_is_waited_for(self):
        self.assertEqual(
            self.output_of(CHUNKED + chunk(b"a\n"), CHUNKED + chunk(b"[stoker] gone\n") + END,
                           CHUNKED + chunk(b"[stoker] gone\n") + chunk(b"a\nb\n") + END),
            ["a\n", "b\n"])

    def test_output_goes_on_elsewhere_when_its_worker_is_lost_and_with_it_the_connection(self):
        lost = b"[stoker] worker w1 is lost, and what was not read of this output with it\n"
        again = b"[stoker] started again as driver-2\n"
        client = self.client({
            "/drivers/driver-1/output": [CHUNKED + chunk(b"a\nb\n"),
                                         CHUNKED + chunk(lost + again + b"a\n")],
            "/drivers/driver-1": [answer({"state": "RELAUNCHING", "relaunched_as": "driver-2"})],
            "/drivers/driver-2/output": [CHUNKED + chunk(b"a\nz\n") + END],
            "/drivers/driver-2": [driver("FINISHED")]})
        self.assertEqual(list(client.output("driver-1")), [
            "a\n", "b\n", lost.decode(), again.decode(), "a\n", "z\n"])

    def test_output_ends_where_its_worker_is_lost_for_good(self):
        lost = b"[stoker] worker w1 is lost, and what was not read of this output with it\n"
        begin = time.monotonic()
        self.assertEqual(
            self.output_of(CHUNKED + chunk(b"a\nb\n"), CHUNKED + chunk(lost) + END,
                           states=("RUNNING", "ERROR")), ["a\n", "b\n", lost.decode()])
        self.assertLess(time.monotonic() - begin, 4)

    def test_lines_of_the_program_that_look_like_notices_are_its_own(self):
        text = b"[stoker] x\n[stoker] x\na\n[stoker] y\n[stoker] y\n"
        self.assertEqual("".join(self.output_of(CHUNKED + chunk(text) + END)), text.decode())
        whole = CHUNKED + chunk(text) + chunk(b"[stoker] y\nb\n") + END
        for cut in range(0, len(whole), 3):
            with self.subTest(cut=cut):
                self.assertEqual("".join(self.output_of(whole[:cut], whole)),
                                 text.decode() + "[stoker] y\nb\n")

    def test_bytes_are_read_as_was_asked_for(self):
        raw = b"\xff\xe4\n"
        whole = CHUNKED + chunk(raw) + END
        self.assertEqual(self.output_of(whole), ["\ufffd\ufffd\n"])
        self.assertEqual(self.output_of(whole, encoding="latin-1"), ["\xff\xe4\n"])
        kept = self.output_of(whole, errors="surrogateescape")
        self.assertEqual(kept[0].encode(errors="surrogateescape"), raw)
        for options in ({"encoding": "no"}, {"errors": "no"}):
            with self.assertRaises(LookupError):
                self.client({}).output("driver-1", **options)

    def test_another_driver_s_output_is_read_from_its_beginning(self):
        client = self.client({
            "/drivers/driver-1/output": [CHUNKED + chunk(b"a\nb\n") + chunk(
                b"[stoker] started again as driver-2\na\n")],
            "/drivers/driver-1": [answer({"state": "ERROR", "relaunched_as": "driver-2"})],
            "/drivers/driver-2/output": [CHUNKED + chunk(b"a\nz\n") + END],
            "/drivers/driver-2": [driver("FINISHED")]})
        self.assertEqual(list(client.output("driver-1")), [
            "a\n", "b\n", "[stoker] started again as driver-2\n", "a\n", "z\n"])

    def test_events_are_told_once_also_by_the_next_master(self):
        def event(number, at_ms):
            return (b'id: 1\nevent: happened\ndata: {"number": %d, "at_ms": %d}\n\n'
                    % (number, at_ms))

        client = self.client({"/events": [
            CHUNKED + chunk(b":\n\n" + event(1, 10) + event(2, 20)[:30]),
            UNTIL_CLOSED + event(2, 20) + event(3, 20),
            CHUNKED + chunk(b'event: missed\ndata: {"after": 3}\n\n' + event(1000, 40))
            + chunk(event(1001, 50)) + END,
            None]})
        events = client.events(timeout=3)
        self.assertEqual([(x["number"], x["at_ms"]) for _, x in zip(range(3), events)],
                         [(1, 10), (2, 20), (3, 20)])
        self.assertEqual(next(events)["event"], "missed")
        self.assertEqual([(x["number"], x["at_ms"]) for _, x in zip(range(2), events)],
                         [(1000, 40), (1001, 50)])
        with self.assertRaises(TimeoutError):
            next(events)

    def test_events_that_are_missing_are_told_of_once(self):
        missed = CHUNKED + chunk(b'event: missed\ndata: {"after": 3}\n\n')
        client = self.client({"/events": [
            missed, missed + chunk(b'event: happened\ndata: {"number": 9, "event": "x"}\n\n'),
            CHUNKED + chunk(b'event: missed\ndata: {"after": 9}\n\n'), None]})
        events = client.events(after=3, timeout=3)
        gap = next(events)
        self.assertEqual(set(gap), set(stoker.types.Event.__annotations__))
        self.assertEqual((gap["event"], gap["number"], gap["warning"]), ("missed", 3, True))
        self.assertEqual(next(events)["number"], 9)
        self.assertEqual(next(events)["number"], 9)
        with self.assertRaises(TimeoutError):
            next(events)

    def test_a_standby_s_events_are_not_waited_for(self):
        client = self.client({"/readyz": [STANDBY, STANDBY, READY],
                              "/events": [CHUNKED + chunk(b'data: {"number": 1, "at_ms": 1}\n')]})
        self.assertEqual(next(client.events())["number"], 1)
        self.assertEqual(self.asked("/readyz"), 3)

    def test_a_request_is_repeated_as_it_was(self):
        client = self.client({"/drivers": [
            STANDBY, b"", b"HTTP/1.1 201 Created\r\nContent-Length: 99\r\n\r\n{",
            answer({"driver_id": "driver-1"}, "201 Created")]})
        self.assertEqual(client.submit(["true"]).id, "driver-1")
        bodies = {body for path, body in self.script.requests if path == "/drivers"}
        self.assertEqual(self.asked("/drivers"), 4)
        self.assertEqual(len(bodies), 1)
        self.assertTrue(json.loads(bodies.pop())["submission"])

    def test_a_time_of_the_client_is_that_of_each_question(self):
        client = self.client({"/queues": [None], "/drivers": [None]}, timeout=0.5)
        for call in (client.queues, lambda: client.submit(["true"])):
            begin = time.monotonic()
            with self.assertRaises(TimeoutError):
                call()
            self.assertLess(time.monotonic() - begin, 4)

    def test_one_that_is_refused_is_not_repeated(self):
        for status in (400, 401, 403, 404, 409, 500):
            client = self.client({"/queues": [answer({"detail": "no"}, f"{status} No")]})
            with self.assertRaises(stoker.Error) as raised:
                client.queues()
            self.assertEqual((raised.exception.status, raised.exception.detail), (status, "no"))
            self.assertEqual(self.asked("/queues"), 1)

    def test_repeating_ends_after_its_time(self):
        client = self.client({"/queues": [STANDBY]}, retry_seconds=1)
        begin = time.monotonic()
        with self.assertRaises(stoker.Error) as raised:
            client.queues()
        self.assertEqual(raised.exception.status, 503)
        self.assertGreater(time.monotonic() - begin, 0.9)
        self.assertGreater(self.asked("/queues"), 2)
        self.assertLess(self.asked("/queues"), 10)
        client = self.client({"/queues": [STANDBY]}, retry_seconds=0)
        with self.assertRaises(stoker.Error):
            client.queues()
        self.assertEqual(self.asked("/queues"), 1)

    def test_an_end_whose_answer_was_lost_has_come(self):
        refused = answer({"detail": "it has ended as KILLED"}, "409 Conflict")
        self.client({"/drivers/driver-1/kill": [b"", refused],
                     "/drivers/driver-1": [driver("KILLED")]}).kill("driver-1")
        for client in (self.client({"/drivers/driver-1/kill": [refused]}),
                       self.client({"/drivers/driver-1/kill": [b"", refused],
                                    "/drivers/driver-1": [driver("FINISHED")]})):
            with self.assertRaises(stoker.Error):
                client.kill("driver-1")

    def interrupted_run(self, answers, **options):
        """While the first answer is waited for. answers: to the question for its driver."""
        client = self.client({"/drivers": [None], "/submissions": answers,
                              "/drivers/driver-1/kill": [answer({"killed": "driver-1"})]})
        interrupt = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        interrupt.start()
        begin = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            client.run(["true"], **options)
        self.assertLess(time.monotonic() - begin, 4)
        submitted = [json.loads(body) for path, body in self.script.requests
                     if path == "/drivers"]
        self.assertEqual([x["submission"] for x in submitted], [self.script.submission])

    def test_a_program_that_was_being_started_is_found_and_ended(self):
        known = answer({"id": "driver-1", "relaunched_as": None})
        elsewhere = answer({"id": "driver-0", "relaunched_as": "driver-1"})
        # It may come to the master after the question for it.
        late = [answer({"detail": "not known"}, "404 Not Found"), known]
        for answers in ([known], [elsewhere], late):
            self.interrupted_run(answers)
            self.assertEqual(self.asked("/submissions"), len(answers))
            self.assertEqual(self.asked("/drivers/driver-1/kill"), 1)

    def test_a_program_that_was_not_started_is_looked_for_and_that_is_all(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.interrupted_run([answer({"detail": "not known"}, "404 Not Found")])
        self.assertEqual(self.asked("/submissions"), 2)
        self.assertEqual(self.asked("/drivers/driver-1/kill"), 0)

    def test_a_program_that_may_have_been_started_is_named(self):
        with self.assertWarnsRegex(RuntimeWarning, "STOKER_INDEX is 0, if it started"):
            self.interrupted_run([None])

    def test_what_nobody_was_asked_for_is_not_looked_for(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaisesRegex(stoker.Error, "no master answers"):
                stoker.Client("http://127.0.0.1:1", retry_seconds=0).run(["true"])
            client = self.client({"/drivers": [answer({"detail": "no"}, "400 No")]})
            with self.assertRaisesRegex(stoker.Error, "no"):
                client.run(["true"])
        self.assertEqual(self.asked("/drivers"), 1)

    def test_an_answer_before_the_request_was_sent_is_read(self):
        client = self.client({"/drivers": ["early"]})
        with self.assertRaises(stoker.Error) as raised:
            client.submit(["x" * 8_000_000])
        self.assertEqual(raised.exception.status, 413)

    def test_an_answer_that_trickles_does_not_stretch_a_time(self):
        body = driver("RUNNING")
        client = self.client({"/drivers/driver-1": [[body[i:i + 1] for i in range(len(body))]]})
        begin = time.monotonic()
        with self.assertRaisesRegex(TimeoutError, "driver-1 has not ended after 1.2 s"):
            client.job("driver-1").wait(1.2)
        self.assertLess(time.monotonic() - begin, 5)

    def test_a_time_of_nothing_is_one_look(self):
        client = self.client({"/drivers/driver-1": [driver("RUNNING"), driver("FINISHED")]})
        with self.assertRaises(TimeoutError):
            client.job("driver-1").wait(0)
        self.assertTrue(client.job("driver-1").wait(0).ok)


def kept(driver_id, state="RUNNING", relaunched_as=None):
    return {"id": driver_id, "state": state, "relaunched_as": relaunched_as, "exit_status": None,
            "message": None}


def ended(driver_id, exit_status=0):
    return {"id": driver_id, "state": "FINISHED", "exit_status": exit_status, "message": None}


class RelaunchedTest(ScriptTest):
    """A job whose worker was lost: another driver goes on for it."""

    def job(self, **answers):
        """answers: of driver-1 and driver-2, as kill_1 or explanation_2."""
        paths = {f"/drivers/driver-{name[-1]}/{name[:-2]}": [x] for name, x in answers.items()}
        return self.client({
            "/drivers/driver-1": [answer(kept("driver-1", "RELAUNCHING", "driver-2"))],
            "/drivers/driver-2": [answer(kept("driver-2"))], **paths}).job("driver-1")

    def test_the_one_that_goes_on_is_explained(self):
        job = self.job(
            explanation_1=answer({"driver_id": "driver-1", "driver_state": "RELAUNCHING"}),
            explanation_2=answer({"driver_id": "driver-2", "driver_state": "RUNNING"}))
        self.assertEqual(job.explain()["driver_id"], "driver-2")
        self.assertEqual(job.id, "driver-2")

    def test_one_that_has_ended_for_good_is_explained_itself(self):
        why = {"driver_id": "driver-2", "driver_state": "FAILED"}
        job = self.job(explanation_2=answer(why))
        job.status()
        self.assertEqual(job.explain(), why)

    def test_the_one_that_goes_on_is_ended_by_the_first_id(self):
        # The master knows who goes on.
        job = self.job(kill_1=answer({"killed": "driver-1"}))
        job.kill()
        self.assertEqual(self.asked("/drivers/driver-1/kill"), 1)

    def test_what_has_ended_where_it_goes_on_is_not_ended_again(self):
        job = self.job(kill_1=answer({"detail": "driver-2 has ended"}, "409 Conflict"))
        with self.assertRaises(stoker.Error) as raised:
            job.kill()
        self.assertEqual(raised.exception.status, 409)


class EndsTest(ScriptTest):
    """Of many programs, some of which the master keeps no more."""

    @staticmethod
    def ids(count):
        return [f"driver-20261126{i // 3600:02}{i // 60 % 60:02}{i % 60:02}-{i:04}"
                for i in range(count)]

    def ends(self, ids, active, pages, **others):
        client = self.client({"/status": [answer({"active_drivers": active,
                                                  "completed_drivers": []})],
                              "/history": [answer({"entries": x, "next": y, "kept_since_ms": None})
                                           for x, y in pages], **others})
        jobs = [client.job(x) for x in ids]
        found = client._look(jobs, Deadline())
        return [found.get(x) for x in jobs]

    def test_many_that_are_forgotten_are_asked_for_at_once(self):
        ids = self.ids(1500)
        entries = [ended(x, i) for i, x in enumerate(ids)][:0:-1]
        self.assertEqual(
            self.ends(ids, [kept(ids[0])], [(entries[:1000], "1 x"), (entries[1000:], None)]),
            [None] + [stoker.Result(x, "FINISHED", i, None)
                      for i, x in enumerate(ids) if i])
        self.assertEqual([path for path, _ in self.script.requests],
                         ["/status", "/history", "/history"])

    def test_a_history_of_others_is_not_read_on_and_on(self):
        ids = self.ids(30)
        others = [ended(f"driver-20261126000000-{i}") for i in range(1000)]
        self.assertEqual(
            self.ends(ids, [], [(others, "1 x"), ([ended("it")], None)]),
            [stoker.Result(x, "FINISHED", 0, None) for x in ids])
        self.assertEqual(self.asked("/history"), 31)

    def test_who_is_too_new_for_the_state_is_asked_for(self):
        ids = self.ids(2)
        self.assertEqual(self.ends(ids, [kept(ids[0])], [([], None)],
                                   **{f"/drivers/{ids[1]}": [answer(kept(ids[1]))]}),
                         [None, None])

    def test_who_is_not_known_to_anybody_is_an_error(self):
        ids = self.ids(2)
        for history in ({}, {"/history": [GONE]}):
            outcomes = self.ends(ids, [kept(ids[0])], [([], None)],
                                 **{f"/drivers/{ids[1]}": [GONE], **history})
            self.assertIsNone(outcomes[0])
            self.assertEqual((outcomes[1].status, outcomes[1].detail), (404, "gone"))

    def test_the_one_that_goes_on_for_a_lost_one_is_looked_for(self):
        ids = self.ids(3)
        self.assertEqual(self.ends(ids[:2], [kept(ids[0], "ERROR", ids[2]), kept(ids[1]),
                                             kept(ids[2], "FAILED")], [([], None)]),
                         [stoker.Result(ids[2], "FAILED", None, None), None])

    def test_the_one_that_goes_on_for_a_forgotten_one_is_looked_for(self):
        ids = self.ids(4)
        lost = dict(ended(ids[0]), state="RELAUNCHING", relaunched_as=ids[2])
        next_lost = dict(ended(ids[2]), state="RELAUNCHING", relaunched_as=ids[3])
        self.assertEqual(self.ends(ids[:2], [kept(ids[3]), kept(ids[1])],
                                   [([lost], None), ([next_lost], None)]),
                         [None, None])
        self.assertEqual(self.ends(ids[:2], [kept(ids[1])],
                                   [([lost], None), ([next_lost], None),
                                    ([ended(ids[3], 7)], None)]),
                         [stoker.Result(ids[3], "FINISHED", 7, None), None])
        self.assertEqual(self.ends(ids[:1], [], [([lost], None)],
                                   **{f"/drivers/{ids[0]}": [GONE],
                                      f"/drivers/{ids[2]}": [answer(kept(ids[2]))]}),
                         [None])

    def test_nobody_knows_how_it_ended_elsewhere(self):
        ids = self.ids(3)
        lost = dict(ended(ids[0]), state="RELAUNCHING", relaunched_as=ids[2])
        outcomes = self.ends(ids[:2], [kept(ids[1])], [([lost], None), ([], None)],
                             **{f"/drivers/{ids[2]}": [GONE]})
        self.assertEqual((outcomes[0].status, outcomes[0].detail), (404, "gone"))


class ErrorsTest(unittest.TestCase):
    def test_errors_go_to_other_processes_as_they_are(self):
        error = stoker.Error(409, "no", is_repeated=True)
        for copied in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
            self.assertEqual((copied.status, copied.detail, copied.is_repeated, str(copied)),
                             (409, "no", True, "no"))
        failed = stoker.Failed(stoker.Result("driver-1", "FAILED", 3, "it ended with 3"))
        copied = pickle.loads(pickle.dumps(failed))
        self.assertEqual((copied.result, str(copied)), (failed.result, str(failed)))
        self.assertEqual(str(failed), "driver-1 is FAILED: it ended with 3")


class CopiesTest(unittest.TestCase):
    def test_a_job_goes_to_other_processes_with_its_client(self):
        client = stoker.Client("http://127.0.0.1:1,http://127.0.0.1:2", retry_seconds=3, timeout=4)
        client.job("driver-1").future().cancel()
        copied = pickle.loads(pickle.dumps(client.job("driver-1")))
        self.assertEqual(repr(copied._client), repr(client))
        self.assertEqual((copied._client._timeout, copied._client._master.retry_seconds), (4, 3))
        self.assertEqual(copied, client.job("driver-1"))

    def test_jobs_are_the_same_that_are_of_one_driver(self):
        client = stoker.Client("http://127.0.0.1:1")
        job = client.job("driver-1")
        self.assertEqual(len({job, client.job("driver-1"), client.job("driver-2")}), 2)
        self.assertNotEqual(job, stoker.Client("http://127.0.0.1:2").job("driver-1"))
        self.assertNotEqual(job, "driver-1")
        # Those who have it find it, also when another one goes on for it.
        jobs = {job}
        job.id = "driver-2"
        self.assertIn(job, jobs)

    @unittest.skipUnless(hasattr(os, "fork"), "no process can be forked here")
    def test_futures_complete_in_a_process_that_was_forked(self):
        script = Script({"/drivers/driver-1": [driver("RUNNING")],
                         "/drivers/driver-2": [driver("FINISHED")]})
        self.addCleanup(script.close)
        client = stoker.Client(script.url)
        waiting = client.job("driver-1").future()
        for _ in range(5):
            child = os.fork()
            if child == 0:
                # pylint: disable=protected-access
                status = 1
                try:
                    status = 0 if client.job("driver-2").future().result(20).ok else 2
                finally:
                    os._exit(status)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertFalse(waiting.done())
        waiting.cancel()


class WatcherTest(unittest.TestCase):
    def test_who_comes_while_it_looks_is_told_too(self):
        late = []

        def look(jobs):
            late.append(watcher.future(job))
            return dict.fromkeys(jobs, "result")

        job = stoker.Client("http://127.0.0.1:1").job("driver-1")
        watcher = Watcher(look)
        self.assertEqual(watcher.future(job).result(10), "result")
        self.assertEqual(late[0].result(10), "result")

    def test_a_fault_is_told_to_all(self):
        def look(jobs):
            raise stoker.Error(0, "no")

        watcher = Watcher(look)
        client = stoker.Client("http://127.0.0.1:1")
        for future in [watcher.future(client.job(f"driver-{i}")) for i in range(3)]:
            with self.assertRaises(stoker.Error):
                future.result(10)

    def test_who_has_cancelled_is_looked_for_no_more(self):
        asked = []
        watcher = Watcher(lambda jobs: asked.append(len(jobs)) or {})
        future = watcher.future(stoker.Client("http://127.0.0.1:1").job("driver-1"))
        self.assertTrue(future.cancel())
        for thread in threading.enumerate():
            if thread.name == "stoker":
                thread.join(10)
                self.assertFalse(thread.is_alive())


class TypesTest(unittest.TestCase):
    """What type checkers are told is what the schemas say."""

    def test_fields_are_those_of_the_schemas(self):
        def schema(name):
            with open(os.path.join(ROOT, "docs", "schemas", name + ".json"),
                      encoding="utf-8") as file:
                return json.load(file)

        def check(of, properties):
            self.assertEqual(set(of.__annotations__), set(properties), of.__name__)

        t = stoker.types
        for name, whole, parts in (
                ("status", t.Status, {"worker": t.Worker, "application": t.Application,
                                      "driver": t.Driver, "executor": t.Executor,
                                      "use": t.Use}),
                ("explain", t.Explanation, {
                    "holder": t.Holder,
                    "gang": t.Gang, "queue_place": t.QueuePlace, "resources": t.Resources,
                    "start_estimate": t.StartEstimate, "tasks": t.TaskReport,
                    "waiting_application": t.WaitingApplication}),
                ("queues", t.Queues, {
                    "company": t.Company, "figures": t.Figures, "resources": t.Resources,
                    "tenants": t.Tenants, "user": t.QueueUser,
                    "waiting_application": t.WaitingApplication}),
                ("status-jobs", t.Jobs, {"application": t.ReportedApplication,
                                         "job": t.ReportedJob, "stage": t.Stage, "use": t.Use}),
                ("history", t.History, {"entry": t.HistoryEntry, "use": t.Use}),
                ("use", t.UseByMonth, {"month": t.Month}),
                ("plan", t.Plan, {"planned_driver": t.PlannedDriver,
                                  "planned_outcome": t.PlannedOutcome,
                                  "planned_start": t.PlannedStart,
                                  "resources": t.Resources})):
            document = schema(name)
            check(whole, document["properties"])
            self.assertEqual(set(document.get("$defs", {})), set(parts), name)
            for part, of in parts.items():
                check(of, document["$defs"][part]["properties"])
        with open(os.path.join(ROOT, "web", "openapi", "openapi.json"),
                  encoding="utf-8") as file:
            schemas = json.load(file)["components"]["schemas"]
        for name, of in (("event", t.Event), ("planned_worker", t.PlannedWorker),
                         ("planned_application", t.PlannedApplication),
                         ("driver_to_plan", t.DriverToPlan),
                         ("planned_executors", t.PlannedExecutors)):
            check(of, schemas[name]["properties"])


if __name__ == "__main__":
    unittest.main()
