"""What goes on: output and events, from one connection to the next."""

from __future__ import annotations

import codecs
import collections
import hashlib
import json
import re
import time
from typing import Any, Deque, Dict, Iterator, List, Optional, cast

from . import types
from ._deadline import Deadline, pauses
from ._errors import Error, NoAnswer
from ._master import SILENCE_S, Reply, Master
from ._paths import is_driver, path_of

_ENDED_DRIVER = frozenset({"FINISHED", "FAILED", "KILLED", "ERROR"})
_ENDED_EXECUTOR = frozenset({"EXITED", "FAILED", "KILLED", "LOST"})

# Lines between those of the program.
_NOTICE = b"[stoker] "
_RELAUNCHED = re.compile(rb"\[stoker\] started again as (driver-[0-9-]+)\s*")
_LOST = re.compile(
    rb"\[stoker\] worker .* is lost, and what was not read of this output with it\s*")

# So many lines in a row that begin so are known again: a program may write such lines, too.
_NOTICES_KNOWN = 1000

_FIRST_PAUSE_S = 0.1
_LAST_PAUSE_S = 2.0


def lines_of(answer: Reply) -> Iterator[bytes]:
    """Its lines, with their ends. The last one may have none. Raises NoAnswer where the answer
    is cut off, and shows it."""
    begun: List[bytes] = []
    while True:
        data = answer.read_some()
        if not data:
            break
        *lines, rest = data.split(b"\n")
        for line in lines:
            yield b"".join(begun) + line + b"\n"
            begun.clear()
        if rest:
            begun.append(rest)
    if begun:
        yield b"".join(begun)


class _Output:
    """What one program writes, each byte once, whatever happens to masters in between.

    A new connection begins with the first byte that is kept. What was read before is skipped,
    and compared by its digest, since the worker may keep less by then.
    """

    def __init__(self, master: Master, program: str, query: Dict[str, Any], deadline: Deadline):
        self._master = master
        self._program = program
        self._query = query
        self._deadline = deadline
        # The last answer was shorter than what was handed out before.
        self._is_short = False
        # It wrote no more before the last answer began, which ended within a line.
        self._had_ended = False
        self._begun = b""
        self._begin()

    def _begin(self) -> None:
        self._seen = 0
        self._digest = hashlib.blake2b()
        # Those that were handed out after the last line that is known to be the program's.
        self._notices: Deque[bytes] = collections.deque(maxlen=_NOTICES_KNOWN)

    def lines(self) -> Iterator[bytes]:
        patience = Deadline(self._master.retry_seconds)
        pause = pauses(_FIRST_PAUSE_S, _LAST_PAUSE_S)
        while True:
            before = self._program, self._seen
            try:
                with self._master.follow(path_of(self._program) + "/output", self._query,
                                         self._deadline) as answer:
                    yield from self._new_lines(answer)
                has_moved = (self._program, self._seen) != before
                if self._is_all(answer, has_moved):
                    return
            except NoAnswer:
                has_moved = (self._program, self._seen) != before
            except TimeoutError:
                raise TimeoutError(f"{self._program} goes on writing, or could") from None
            if has_moved:
                patience = Deadline(self._master.retry_seconds)
                pause = pauses(_FIRST_PAUSE_S, _LAST_PAUSE_S)
            elif patience.has_passed():
                if self._is_short:
                    raise self._lost()
                raise Error(0, f"the output of {self._program} ends again and again, and the "
                               "program goes on")
            time.sleep(min(next(pause), self._deadline.left()))
            if self._query["tail"] and self._seen:
                raise Error(0, f"the output of {self._program} was cut off, and where to go on "
                               "is not known, since it did not begin with its first byte")

    def _is_all(self, answer: Reply, has_moved: bool) -> bool:
        """Whether nothing follows an answer that was read to its end."""
        if answer.tells_its_end:
            return self._can_be_all()
        if self._query["tail"]:
            # It cannot be read again. Where the master is there at once, it was not cut off.
            return self._can_be_all(retry=False)
        # It may have been cut off. If it had ended before, another answer has no more.
        had_ended, self._had_ended = self._had_ended, self._can_be_all()
        return had_ended and not has_moved

    def _new_lines(self, answer: Reply) -> Iterator[bytes]:
        """Those that have not been handed out by an answer before."""
        to_skip = self._seen
        known = hashlib.blake2b()
        told = list(self._notices)
        skipped: Deque[bytes] = collections.deque(maxlen=2)
        for line in lines_of(answer):
            if to_skip > 0:
                # When these come depends on who reads.
                if line.startswith(_NOTICE):
                    skipped.append(line)
                    if self._note_relaunch(line):
                        # The rest of the first one is lost, or was read.
                        to_skip = 0
                        told.clear()
                        yield from skipped
                    continue
                skipped.clear()
                known.update(line)
                to_skip -= len(line)
                if to_skip < 0 or (to_skip == 0 and known.digest() != self._digest.digest()):
                    raise self._lost()
                continue
            if line.startswith(_NOTICE):
                if line in told:
                    told.remove(line)
                    continue
                self._notices.append(line)
                yield line
                if self._note_relaunch(line):
                    told.clear()
                continue
            if not line.endswith(b"\n") and not self._is_whole(line, answer):
                raise NoAnswer("cut off within a line", has_connected=True)
            self._notices.clear()
            told.clear()
            self._seen += len(line)
            self._digest.update(line)
            yield line
        self._is_short = to_skip > 0
        if self._is_short and skipped and _LOST.fullmatch(skipped[-1]) and self._can_be_all():
            yield skipped[-1]
            self._is_short = False
        if self._is_short:
            # A worker that comes back has it later.
            raise NoAnswer("what was read before is not there", has_connected=True)

    def _lost(self) -> Error:
        return Error(0, f"the output of {self._program} was cut off, and cannot be gone on with: "
                        "what was read before is not kept any more; read it anew")

    def _note_relaunch(self, line: bytes) -> bool:
        """Whether what follows is another driver's, from its first byte. Its program could say
        so, too."""
        found = _RELAUNCHED.fullmatch(line)
        if not found or not is_driver(self._program):
            return False
        successor = found.group(1).decode()
        info = cast(types.Driver, self._master.ask("GET", path_of(self._program),
                                                   deadline=self._deadline))
        if info["relaunched_as"] != successor:
            return False
        self._program = successor
        self._query["tail"] = None
        self._begin()
        return True

    def _is_whole(self, line: bytes, answer: Reply) -> bool:
        """Whether a line without an end is not just the first part of one."""
        if answer.tells_its_end or self._query["tail"]:
            return self._can_be_all()
        before, self._begun = self._begun, line
        had_ended, self._had_ended = self._had_ended, self._can_be_all()
        return had_ended and line == before

    def _can_be_all(self, retry: bool = True) -> bool:
        """Whether the program writes no more, as far as that is of interest."""
        if retry and not self._query["follow"]:
            return True
        try:
            info = self._master.ask("GET", path_of(self._program), deadline=self._deadline,
                                    retry=retry)
        except Error as error:
            if error.status == 404:
                # It has ended, and is forgotten.
                return True
            if retry or error.status not in (0, 503):
                raise
            return False
        ended = _ENDED_DRIVER if is_driver(self._program) else _ENDED_EXECUTOR
        return not self._query["follow"] or info["state"] in ended


def follow_output(master: Master, program: str, stream: str, follow: bool, tail: int,
                  timeout: Optional[float], encoding: str, errors: str) -> Iterator[str]:
    # Else it would be noticed where the first line comes.
    codecs.lookup(encoding)
    codecs.lookup_error(errors)
    query = {"stream": stream, "follow": follow, "tail": tail or None}
    output = _Output(master, program, query, Deadline(timeout))
    return (line.decode(encoding, errors) for line in output.lines())


def _missed(after: int) -> types.Event:
    """Says that there may be events after this one that the master cannot tell."""
    return {"number": after, "at_ms": int(time.time() * 1000), "event": "missed",
            "fields": f"after={after}", "decision": "", "warning": True}


def follow_events(master: Master, after: int, of: str,
                  timeout: Optional[float]) -> Iterator[types.Event]:
    deadline = Deadline(timeout)
    # Numbers grow over restarts of masters.
    last = after
    # The gap that was told last: another connection may begin with it again.
    missed_after: Optional[int] = None
    pause = pauses(_FIRST_PAUSE_S, _LAST_PAUSE_S)
    while True:
        try:
            query: Dict[str, Any] = {"after": last, "of": of}
            with master.follow("/events", query, deadline) as answer:
                check = Deadline(SILENCE_S)
                for line in lines_of(answer):
                    if line.startswith(b"data: ") and line.endswith(b"\n"):
                        event = json.loads(line[6:])
                        if "number" in event:
                            last = event["number"]
                            yield cast(types.Event, event)
                        elif event["after"] != missed_after:
                            missed_after = event["after"]
                            yield _missed(missed_after)
                        pause = pauses(_FIRST_PAUSE_S, _LAST_PAUSE_S)
                        check = Deadline(SILENCE_S)
                    elif check.has_passed():
                        # It may have become a standby that has nothing to tell.
                        answer.check_leads()
                        check = Deadline(SILENCE_S)
        except NoAnswer:
            pass
        except TimeoutError:
            raise TimeoutError(f"events go on after {timeout} s") from None
        time.sleep(min(next(pause), deadline.left()))
