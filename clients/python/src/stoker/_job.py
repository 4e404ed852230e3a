"""A program that was started, and how it ended."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Generator, Iterator, Optional

if TYPE_CHECKING:
    from ._client import Client

# States that do not change any more (those of `stoker status`).
_ENDED = frozenset({"FINISHED", "FAILED", "KILLED", "ERROR"})

# How often it is looked whether a program has ended: soon at first, then less.
_FIRST_PAUSE_S = 0.05
_LAST_PAUSE_S = 1.0


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
        super().__init__(f"{result.id} is {result.state}"
                         + (f": {result.message}" if result.message else ""))
        self.result = result


def _pauses() -> Iterator[float]:
    pause = _FIRST_PAUSE_S
    while True:
        yield pause
        pause = min(_LAST_PAUSE_S, pause * 1.5)


class Job:
    """A program that was started on a cluster: a driver."""

    def __init__(self, client: "Client", driver_id: str):
        self._client = client
        self.id = driver_id

    def __repr__(self) -> str:
        return f"Job({self.id!r})"

    def status(self) -> Dict[str, Any]:
        """As a driver in 'stoker status --json', where its worker was lost of the one that
        goes on for it."""
        info = self._client.driver(self.id)
        while info.get("relaunched_as"):
            self.id = str(info["relaunched_as"])
            info = self._client.driver(self.id)
        return info

    def done(self) -> bool:
        return self._result() is not None

    def wait(self, timeout: Optional[float] = None) -> Result:
        """Waits until it ends. Raises TimeoutError after so many seconds."""
        end = None if timeout is None else time.monotonic() + timeout
        for pause in _pauses():
            result = self._result()
            if result is not None:
                return result
            if end is not None and time.monotonic() + pause > end:
                raise TimeoutError(f"{self.id} has not ended after {timeout} s")
            time.sleep(pause)
        raise AssertionError("not reached")

    def future(self) -> "concurrent.futures.Future[Result]":
        """Its end as a future. A future that is cancelled ends no program."""
        future: "concurrent.futures.Future[Result]" = concurrent.futures.Future()

        def watch() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(self.wait())
            except BaseException as error:  # pylint: disable=broad-except
                future.set_exception(error)

        threading.Thread(target=watch, name=f"stoker {self.id}", daemon=True).start()
        return future

    def __await__(self) -> Generator[Any, None, Result]:
        return self._wait_async().__await__()

    async def _wait_async(self) -> Result:
        loop = asyncio.get_running_loop()
        for pause in _pauses():
            result = await loop.run_in_executor(None, self._result)
            if result is not None:
                return result
            await asyncio.sleep(pause)
        raise AssertionError("not reached")

    def logs(self, *, stream: str = "stdout", follow: bool = True,
             tail: int = 0) -> Iterator[str]:
        """The lines that it writes, as it writes them, until it ends."""
        return self._client.output(self.id, stream=stream, follow=follow, tail=tail)

    def explain(self) -> Dict[str, Any]:
        """Why it waits, or runs where it runs."""
        return self._client.explain(self.id)

    def kill(self) -> None:
        self._client.kill(self.id)

    def _result(self) -> Optional[Result]:
        info = self.status()
        if info["state"] not in _ENDED:
            return None
        return Result(self.id, info["state"], info["exit_status"], info["message"])
