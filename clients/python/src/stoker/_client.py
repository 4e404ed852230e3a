"""What is asked of a master over HTTP."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import (Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence,
                    Union)

from ._job import Failed, Job, Result

DEFAULT_URL = "http://127.0.0.1:8080"

Json = Dict[str, Any]

# Longer than a master takes for anything, and than it is silent while something is followed.
_TIMEOUT_S = 60


class Error(Exception):
    """The master has refused something, or is not there.

    status: that of HTTP; 0: nobody has answered.
    """

    def __init__(self, status: int, detail: str):
        super().__init__(detail)
        self.status = status
        self.detail = detail


def _detail_of(error: urllib.error.HTTPError) -> str:
    """The one line of a problem document (RFC 9457)."""
    try:
        return str(json.loads(error.read())["detail"])
    except (ValueError, KeyError, TypeError):
        return f"HTTP {error.code} {error.reason}"


def _ids(jobs: Union[Job, str, Iterable[Union[Job, str]]]) -> List[str]:
    one = isinstance(jobs, (Job, str))
    return [x.id if isinstance(x, Job) else x for x in ([jobs] if one else jobs)]


class Client:
    """A master. May be used by several threads at once."""

    def __init__(self, url: Optional[str] = None):
        """url: as "http://127.0.0.1:8080"; else that of STOKER_WEB_URL."""
        self.url = (url or os.environ.get("STOKER_WEB_URL") or DEFAULT_URL).rstrip("/")
        # A proxy would be asked for its own machine.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    # -- programs ---------------------------------------------------------------

    def submit(self, command: Sequence[str], *, name: str = "", cores: int = 1,
               memory_mb: int = 512, resources: Optional[Mapping[str, int]] = None,
               environment: Optional[Mapping[str, str]] = None,
               working_directory: str = "", supervise: bool = False,
               max_restarts: Optional[int] = None,
               after: Union[Job, str, Iterable[Union[Job, str]]] = (),
               after_ok: Union[Job, str, Iterable[Union[Job, str]]] = (),
               on_end: Optional[Sequence[str]] = None, on_end_retries: int = 5,
               wait: bool = False) -> Job:
        """Starts a program on the cluster.

        max_restarts: start it again at most so often after a failure.
        after, after_ok: start it when these have ended, and have ended well; jobs, or
        ids of applications and drivers.
        on_end: a program that runs on the cluster when this one has ended.
        wait: for a worker that is large enough, if none is; else that is an error.
        """
        for name_of, words in ("command", command), ("on_end", on_end):
            if isinstance(words, (str, bytes)):
                raise TypeError(f"{name_of} is a list: a program and its arguments")
        answer = self._call("POST", "/drivers", {
            "command": [str(x) for x in command],
            "name": name,
            "cores": cores,
            "memory_mb": memory_mb,
            "resources": dict(resources or {}),
            "environment": {str(k): str(v) for k, v in (environment or {}).items()},
            "working_directory": str(working_directory),
            "supervise": supervise,
            "max_restarts": max_restarts,
            "after": _ids(after),
            "after_ok": _ids(after_ok),
            "on_end": None if on_end is None else {
                "command": [str(x) for x in on_end], "retries": on_end_retries},
            "wait": wait,
            # Repeating this request starts nothing twice.
            "submission": uuid.uuid4().hex,
        })
        return Job(self, str(answer["driver_id"]))

    def run(self, command: Sequence[str], n: int = 1, *, check: bool = True,
            environment: Optional[Mapping[str, str]] = None,
            **options: Any) -> List[Result]:
        """Starts n programs, and waits for all of them.

        Each finds its number in STOKER_INDEX, and n in STOKER_COUNT.
        check: raise Failed if one of them fails; the others are ended then.
        """
        if n < 1:
            raise ValueError("n has to be at least 1")
        jobs: List[Job] = []
        try:
            for index in range(n):
                jobs.append(self.submit(command, environment={
                    **(environment or {}), "STOKER_INDEX": str(index),
                    "STOKER_COUNT": str(n)}, **options))
            results = []
            for job in jobs:
                result = job.wait()
                if check and not result.ok:
                    raise Failed(result)
                results.append(result)
            return results
        except BaseException:
            for job in jobs:
                try:
                    job.kill()
                except Error:
                    # It has ended.
                    pass
            raise

    def job(self, driver_id: str) -> Job:
        """A program that was started before."""
        return Job(self, driver_id)

    # -- what there is ------------------------------------------------------------

    def status(self, **parts: Any) -> Json:
        """As 'stoker status --json'."""
        return self._call("GET", "/status", query=parts)

    def application(self, app_id: str) -> Json:
        """An application, with its executors."""
        return self._call("GET", f"/applications/{_part(app_id)}")

    def driver(self, driver_id: str) -> Json:
        """A driver."""
        return self._call("GET", f"/drivers/{_part(driver_id)}")

    def explain(self, entity_id: str) -> Json:
        """Why an application or a driver has what it has."""
        return self._call("GET", f"/{_kind(entity_id)}/{_part(entity_id)}/explanation")

    def kill(self, entity_id: str) -> None:
        """Ends an application or a driver."""
        self._call("POST", f"/{_kind(entity_id)}/{_part(entity_id)}/kill")

    def queues(self) -> Json:
        """As 'stoker queues --json'."""
        return self._call("GET", "/queues")

    def jobs(self, **filters: Any) -> Json:
        """As 'stoker status jobs --json'."""
        return self._call("GET", "/jobs", query=filters)

    def history(self, **filters: Any) -> Json:
        """What has ended: as 'stoker history --json'."""
        return self._call("GET", "/history", query=filters)

    def use(self, **filters: Any) -> Json:
        """Use by month: as 'stoker history --monthly --json'."""
        return self._call("GET", "/use", query=filters)

    def plan(self, **changes: Any) -> Json:
        """What would happen: add_workers, add_apps, remove_workers, end_apps."""
        return self._call("POST", "/plan", changes)

    def events(self, after: int = 0, of: str = "") -> Iterator[Json]:
        """What happens, as it happens; without an end."""
        query = {"after": after, "of": of}
        with self._open("GET", "/events", query=query) as answer:
            for line in answer:
                if line.startswith(b"data: "):
                    yield json.loads(line[6:])

    def output(self, driver_id: str, *, stream: str = "stdout", follow: bool = True,
               tail: int = 0) -> Iterator[str]:
        """The lines that a driver writes, as it writes them."""
        query = {"stream": stream, "follow": follow, "tail": tail}
        with self._open("GET", f"/drivers/{_part(driver_id)}/output", query=query,
                        # A program may be silent for as long as it likes.
                        timeout_s=None) as answer:
            for line in answer:
                yield line.decode("utf-8", errors="replace")

    # -- HTTP ---------------------------------------------------------------------

    def _open(self, method: str, path: str, body: Optional[Json] = None,
              query: Optional[Mapping[str, Any]] = None,
              timeout_s: Optional[float] = _TIMEOUT_S) -> Any:
        url = f"{self.url}/api/v1{path}"
        if query:
            url += "?" + urllib.parse.urlencode({k: _text(v) for k, v in query.items()})
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data=data, method=method, headers={
            "Accept": "*/*", "Content-Type": "application/json"})
        try:
            if timeout_s is None:
                return self._opener.open(request)
            return self._opener.open(request, timeout=timeout_s)
        except urllib.error.HTTPError as error:
            with error:
                raise Error(error.code, _detail_of(error)) from None
        except OSError as error:
            reason = getattr(error, "reason", error)
            raise Error(0, f"no master answers at {self.url}: {reason}") from None

    def _call(self, method: str, path: str, body: Optional[Json] = None,
              query: Optional[Mapping[str, Any]] = None) -> Json:
        with self._open(method, path, body, query) as answer:
            return json.loads(answer.read())


def _part(text: str) -> str:
    return urllib.parse.quote(str(text), safe="")


def _kind(entity_id: str) -> str:
    return "drivers" if str(entity_id).startswith("driver-") else "applications"


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
