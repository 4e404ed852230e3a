"""A program that was started, and how it ended."""

from __future__ import annotations

import asyncio
import concurrent.futures
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generator, Iterator, Optional

from . import types
from ._deadline import Deadline, pauses
from ._errors import Error
from ._watch import FIRST_PAUSE_S, LAST_PAUSE_S

if TYPE_CHECKING:
    from ._client import Client

# States of one that has not ended, and for which no other goes on.
_UNDER_WAY = frozenset({"SUBMITTED", "RUNNING"})

# What an answer may take where nothing is waited for.
_AT_ONCE_S = 1.0


@dataclass(frozen=True)
class Result:
    """How a program ended.

    state: FINISHED, FAILED, KILLED or ERROR.
    exit_status: None where it has none, as when it was never started.
    message: why it failed, in one line, if it did.
    """

    id: str
    state: str
    exit_status: Optional[int]
    message: Optional[str]

    @property
    def ok(self) -> bool:
        return self.state == "FINISHED"


class Failed(Exception):
    """A program has failed."""

    def __init__(self, result: Result):
        # As it is: what is pickled is made again of it.
        super().__init__(result)
        self.result = result

    def __str__(self) -> str:
        result = self.result
        return (f"{result.id} is {result.state}"
                + (f": {result.message}" if result.message else ""))


class Job:
    """A program that was started on a cluster: a driver."""

    def __init__(self, client: "Client", driver_id: str):
        self._client = client
        self.id = driver_id
        # `id` may become that of the one that goes on for it.
        self._first_id = driver_id

    def __repr__(self) -> str:
        return f"Job({self.id!r})"

    def __eq__(self, other: object) -> bool:
        """Whether both were made for the same driver of the same masters."""
        return (isinstance(other, Job) and self._first_id == other._first_id
                and self._client._master.addresses == other._client._master.addresses)

    def __hash__(self) -> int:
        return hash(self._first_id)

    def status(self) -> types.Driver:
        """As a driver in 'stoker status --json', where its worker was lost of the one that
        goes on for it."""
        info = self._client.driver(self.id)
        while info["relaunched_as"]:
            self.id = info["relaunched_as"]
            info = self._client.driver(self.id)
        return info

    def done(self) -> bool:
        """Whether it has ended, well or not."""
        return self._result(self._client._deadline()) is not None

    def wait(self, timeout: Optional[float] = None) -> Result:
        """Waits until it ends. Raises TimeoutError after so many seconds, whatever the master
        does meanwhile."""
        deadline = Deadline(None if timeout is None else max(timeout, _AT_ONCE_S))
        end = Deadline(timeout)
        why = f"{self.id} has not ended after {timeout} s"
        for pause in pauses(FIRST_PAUSE_S, LAST_PAUSE_S):
            try:
                result = self._result(deadline)
            except TimeoutError:
                raise TimeoutError(why) from None
            if result is not None:
                return result
            if end.has_passed():
                raise TimeoutError(why)
            time.sleep(min(pause, end.left()))
        raise AssertionError("not reached")

    def future(self) -> "concurrent.futures.Future[Result]":
        """Its end as a future. A future that is cancelled ends no program. In a process that is
        forked later it never comes: make another one there."""
        return self._client._watcher.future(self)

    async def completion(self) -> Result:
        """Its end, to be awaited, or for asyncio.create_task(job.completion()). Cancelling that
        ends no program."""
        return await asyncio.wrap_future(self.future())

    def __await__(self) -> Generator[Any, None, Result]:
        return self.completion().__await__()

    def logs(self, *, stream: types.Stream = "stdout", follow: bool = True, tail: int = 0,
             timeout: Optional[float] = None, encoding: str = "utf-8",
             errors: str = "replace") -> Iterator[str]:
        """The lines that it writes, as it writes them, until it ends: see Client.output."""
        return self._client.output(self.id, stream=stream, follow=follow, tail=tail,
                                   timeout=timeout, encoding=encoding, errors=errors)

    def explain(self) -> types.Explanation:
        """Why it waits, or runs where it runs; where its worker was lost, the one that goes on
        for it."""
        while True:
            answer = self._client.explain(self.id)
            if answer["driver_state"] in _UNDER_WAY or not self._goes_on_elsewhere():
                return answer

    def kill(self) -> None:
        """Ends it, or the one that goes on for it."""
        self._client.kill(self.id)

    def _goes_on_elsewhere(self) -> bool:
        """Whether another driver goes on for it, whose id it has from now on."""
        before = self.id
        self.status()
        return self.id != before

    def _result(self, deadline: Deadline) -> Optional[Result]:
        outcome = self._client._look([self], deadline).get(self)
        if isinstance(outcome, Error):
            raise outcome
        return outcome
