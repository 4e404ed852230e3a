"""How programs have ended: asked of the master, and of its history of what it keeps no more."""

from __future__ import annotations

import calendar
import re
import time
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union, cast

from . import types
from ._deadline import Deadline
from ._errors import Error
from ._job import Job, Result
from ._master import Master
from ._paths import path_of

# States that do not change any more (those of `stoker status`): the last one where nobody says
# which other driver goes on.
_ENDED = frozenset({"FINISHED", "FAILED", "KILLED", "ERROR", "RELAUNCHING"})

# When one was submitted is in its id, in UTC by the master's clock.
_SUBMITTED = re.compile(r"driver-(\d{14})-")

# A page of the history costs about as much as asking for so many singly.
_PAGE_ROWS = 1000
_SINGLY = 20


def look(master: Master, jobs: Sequence[Job],
         deadline: Deadline) -> Dict[Job, Union[Result, Error]]:
    """How those have ended that have; an Error where nobody knows. In the order of jobs."""
    return _Look(master, deadline).at(jobs)


class _Look:
    def __init__(self, master: Master, deadline: Deadline):
        self._master = master
        self._deadline = deadline
        self._known: Dict[str, types.Driver] = {}
        self._entries: Dict[str, types.HistoryEntry] = {}
        # Whether `_known` has all that the master keeps, but for what is quite new.
        self._has_state = False

    def at(self, jobs: Sequence[Job]) -> Dict[Job, Union[Result, Error]]:
        if len(jobs) > 1:
            self._read_state()
            self._read_history([x.id for x in jobs if x.id not in self._known])
        result: Dict[Job, Union[Result, Error]] = {}
        for job in jobs:
            try:
                outcome: Union[Result, Error, None] = self._outcome(job)
            except Error as error:
                if error.status in (0, 503):
                    raise
                outcome = error
            if outcome is not None:
                result[job] = outcome
        return result

    # -- one question for all -------------------------------------------------------

    def _read_state(self) -> None:
        state = cast(types.Status, self._ask(
            "/status", {"workers": False, "applications": False}))
        self._known = {x["id"]: x for x in state["active_drivers"] + state["completed_drivers"]}
        self._has_state = True

    def _read_history(self, ids: Sequence[str]) -> None:
        """Of those that the master keeps no more: those that ended last come first."""
        since = {x: _submitted_ms(x) for x in ids}
        query: Dict[str, Any] = {"kind": "driver", "rows_max": _PAGE_ROWS}
        while len(since) > _SINGLY:
            query["since_ms"] = min(since.values())
            page = self._history(query)
            before = len(since)
            for entry in page["entries"]:
                if since.pop(entry["id"], None) is not None:
                    self._entries[entry["id"]] = entry
            # Where a page has few of them, others than these fill it.
            if page["next"] is None or before - len(since) < _SINGLY:
                return
            query["after"] = page["next"]

    # -- one of them ------------------------------------------------------------------

    def _outcome(self, job: Job) -> Optional[Result]:
        while True:
            info = self._info(job.id)
            # Masters of earlier versions do not say it in their history.
            successor = info.get("relaunched_as")
            if not successor:
                return _result_of(job, info) if info["state"] in _ENDED else None
            job.id = str(successor)

    def _info(self, driver_id: str) -> Union[types.Driver, types.HistoryEntry]:
        known = self._known.get(driver_id)
        if known is not None:
            return known
        if self._has_state:
            entry = self._entries.get(driver_id) or self._entry(driver_id)
            if entry is not None:
                return entry
        try:
            return cast(types.Driver, self._ask(path_of(driver_id)))
        except Error as error:
            entry = self._entry(driver_id) if error.status == 404 else None
            if entry is None:
                raise
            return entry

    def _entry(self, driver_id: str) -> Optional[types.HistoryEntry]:
        entries = self._history({"kind": "driver", "id": driver_id})["entries"]
        return entries[0] if entries else None

    def _history(self, query: Mapping[str, Any]) -> types.History:
        try:
            return cast(types.History, self._ask("/history", query))
        except Error as error:
            if error.status != 404:
                raise
            # There is none.
            return {"entries": [], "next": None, "kept_since_ms": None}

    def _ask(self, path: str, query: Optional[Mapping[str, Any]] = None) -> Any:
        return self._master.ask("GET", path, query=query, deadline=self._deadline)


def _result_of(job: Job, info: Union[types.Driver, types.HistoryEntry]) -> Result:
    return Result(job.id, info["state"], info["exit_status"], info["message"])


def _submitted_ms(driver_id: str) -> int:
    found = _SUBMITTED.match(driver_id)
    try:
        date = time.strptime(found.group(1) if found else "", "%Y%m%d%H%M%S")
    except ValueError:
        return 0
    return calendar.timegm(date) * 1000
