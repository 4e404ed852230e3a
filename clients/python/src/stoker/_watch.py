"""Looks when programs end, for all who wait for one."""

from __future__ import annotations

import os
import threading
import weakref
from concurrent.futures import Future
from typing import TYPE_CHECKING, Callable, List, Mapping, Sequence, Tuple, Union

from ._deadline import pauses
from ._errors import Error

if TYPE_CHECKING:
    from ._job import Job, Result

# How often it is looked: soon at first, then less.
FIRST_PAUSE_S = 0.05
LAST_PAUSE_S = 1.0


class Watcher:
    """One thread for all futures of a client, while there are any: it asks for all at once."""

    _all: "weakref.WeakSet[Watcher]" = weakref.WeakSet()

    def __init__(self, look: "Callable[[Sequence[Job]], Mapping[Job, Union[Result, Error]]]"):
        """look: how those have ended that have, or why that cannot be known."""
        self._look = look
        self._begin()
        Watcher._all.add(self)

    def _begin(self) -> None:
        self._changed = threading.Condition()
        self._waiting: "List[Tuple[Job, Future[Result]]]" = []
        self._has_new = False
        self._is_running = False

    @staticmethod
    def begin_in_child() -> None:
        """A process that was forked has no thread, and a lock may have been held by one."""
        for watcher in list(Watcher._all):
            watcher._begin()

    def future(self, job: "Job") -> "Future[Result]":
        result: "Future[Result]" = Future()
        with self._changed:
            self._waiting.append((job, result))
            self._has_new = True
            self._changed.notify()
            if not self._is_running:
                self._is_running = True
                threading.Thread(target=self._run, name="stoker", daemon=True).start()
        return result

    def _run(self) -> None:
        pause = pauses(FIRST_PAUSE_S, LAST_PAUSE_S)
        while True:
            with self._changed:
                self._waiting = [x for x in self._waiting if not x[1].cancelled()]
                if not self._waiting:
                    self._is_running = False
                    return
                waiting = list(self._waiting)
                if self._has_new:
                    pause = pauses(FIRST_PAUSE_S, LAST_PAUSE_S)
                self._has_new = False
            ended = self._outcomes(list({job: None for job, _ in waiting}))
            with self._changed:
                # Others may have begun to wait for the same meanwhile.
                waiting = [x for x in self._waiting if x[0] in ended]
                self._waiting = [x for x in self._waiting if x[0] not in ended]
            for job, future in waiting:
                if future.set_running_or_notify_cancel():
                    outcome = ended[job]
                    if isinstance(outcome, BaseException):
                        future.set_exception(outcome)
                    else:
                        future.set_result(outcome)
            with self._changed:
                self._changed.wait_for(lambda: self._has_new, next(pause))

    def _outcomes(self, jobs: "List[Job]") -> "Mapping[Job, Union[Result, BaseException]]":
        try:
            return self._look(jobs)
        except Exception as error:  # pylint: disable=broad-except
            # Whoever waits learns it; a thread that ends tells nobody.
            return {job: error for job in jobs}


# Not everywhere can a process be forked.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=Watcher.begin_in_child)
