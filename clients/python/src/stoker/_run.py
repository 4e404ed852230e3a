"""Programs that are started, waited for, and ended where that is given up."""

from __future__ import annotations

import time
import uuid
import warnings
from typing import TYPE_CHECKING, Any, List, Mapping, Optional, cast

from ._deadline import Deadline, pauses
from ._ends import look
from ._errors import Error
from ._job import Failed, Job, Result
from ._master import Master
from ._paths import part, path_of
from ._watch import FIRST_PAUSE_S, LAST_PAUSE_S

if TYPE_CHECKING:
    from ._client import Client

# Who has waited for long enough, or has interrupted it, waits no longer than that for a master
# that does not answer,
_END_S = 2.0

# and for one that does so much longer for each program.
_END_EACH_S = 0.05

# What is not known was perhaps just on its way.
_ASK_AGAIN_S = 0.2


class _Program:
    """One of them, from before it is submitted."""

    def __init__(self, description: Mapping[str, Any]):
        self.description = {**description, "submission": uuid.uuid4().hex}
        # The master may have been asked for it.
        self.is_asked_for = False
        self.job: Optional[Job] = None
        self.result: Optional[Result] = None

    def note_connection(self) -> None:
        self.is_asked_for = True

    def __str__(self) -> str:
        index = self.description["environment"]["STOKER_INDEX"]
        return self.job.id if self.job else f"the one whose STOKER_INDEX is {index}, if it started"


class Run:
    """n programs that somebody waits for."""

    def __init__(self, master: Master, description: Mapping[str, Any], n: int,
                 timeout: Optional[float]):
        self._master = master
        self._timeout = timeout
        self._deadline = Deadline(timeout)
        self._programs = [
            _Program({**description, "environment": {
                **description["environment"], "STOKER_INDEX": str(i), "STOKER_COUNT": str(n)}})
            for i in range(n)]

    def results(self, client: "Client", check: bool) -> List[Result]:
        """client: that of the jobs. check: the first failure is raised."""
        try:
            for program in self._programs:
                program.job = Job(client, self._start(program))
            self._wait(check)
            return [cast(Result, x.result) for x in self._programs]
        except BaseException as error:
            self._end(error)
            if isinstance(error, TimeoutError):
                ended = sum(x.result is not None for x in self._programs)
                raise TimeoutError(f"{ended} of {len(self._programs)} programs have ended after "
                                   f"{self._timeout} s") from None
            raise

    def _start(self, program: _Program) -> str:
        try:
            answer = self._master.ask("POST", "/drivers", body=program.description,
                                      deadline=self._deadline,
                                      on_connection=program.note_connection)
            return str(answer["driver_id"])
        except Error as error:
            if 400 <= error.status < 500:
                # An earlier request that was carried out would have been told of.
                program.is_asked_for = False
            raise

    def _wait(self, check: bool) -> None:
        """Fills in how they end, as they do."""
        pause = pauses(FIRST_PAUSE_S, LAST_PAUSE_S)
        left = {cast(Job, x.job): x for x in self._programs}
        while True:
            ended = look(self._master, list(left), self._deadline)
            for job, outcome in ended.items():
                if isinstance(outcome, Error):
                    raise outcome
                left.pop(job).result = outcome
            failed = [x for x in ended.values() if isinstance(x, Result) and not x.ok]
            if check and failed:
                raise Failed(failed[0])
            if not left:
                return
            if self._deadline.has_passed():
                raise TimeoutError
            time.sleep(min(next(pause), self._deadline.left()))

    # -- the end of what nobody waits for any more ------------------------------------

    def _end(self, error: BaseException) -> None:
        """error: why."""
        left = [x for x in self._programs if x.result is None and (x.job or x.is_asked_for)]
        # Who learns of a failure has a master that answers, and time.
        is_patient = isinstance(error, Failed)
        end = Deadline(_END_S + _END_EACH_S * len(left)
                       + (self._deadline.left() if is_patient else 0))
        try:
            while left:
                try:
                    self._end_one(left[0], end if is_patient else end.within(_END_S))
                except (Error, TimeoutError) as problem:
                    if isinstance(problem, TimeoutError) or not 400 <= problem.status < 500:
                        # The others would not fare better.
                        return
                    # It has ended, or was never started.
                left.pop(0)
        finally:
            if left:
                warnings.warn("these may go on, since no master could be told to end them: "
                              + ", ".join(map(str, left)), RuntimeWarning, stacklevel=4)

    def _end_one(self, program: _Program, end: Deadline) -> None:
        driver = program.job.id if program.job else self._find(program, end)
        self._master.ask("POST", path_of(driver) + "/kill", deadline=end)

    def _find(self, program: _Program, end: Deadline) -> str:
        """The driver of a submission whose answer has not come. Raises Error if there is none."""
        path = "/submissions/" + part(program.description["submission"])
        try:
            driver = self._master.ask("GET", path, deadline=end)
        except Error as error:
            if error.status != 404:
                raise
            time.sleep(min(_ASK_AGAIN_S, end.left()))
            driver = self._master.ask("GET", path, deadline=end)
        return str(driver["relaunched_as"] or driver["id"])
