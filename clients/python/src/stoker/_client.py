"""A cluster, by its masters."""

from __future__ import annotations

import functools
import os
import uuid
from typing import (Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Union,
                    cast)

from . import types
from ._deadline import Deadline
from ._ends import look
from ._errors import Error
from ._follow import follow_events, follow_output
from ._http import Address
from ._job import Job, Result
from ._master import Master
from ._paths import is_driver, part, path_of
from ._run import Run
from ._tls import Tls
from ._watch import Watcher
from ._words import Word, environment_of, words_of

DEFAULT_URL = "http://127.0.0.1:8080"

# Those that have to end before a program is started: jobs, or ids.
After = Union[Job, str, Iterable[Union[Job, str]]]


def _ids(jobs: After) -> List[str]:
    if isinstance(jobs, (Job, str)):
        jobs = [jobs]
    return [x.id if isinstance(x, Job) else x for x in jobs]


class Client:
    """A cluster. May be used by several threads at once."""

    def __init__(self, url: Union[str, Iterable[str], None] = None, *,
                 cert: Optional[str] = None, key: Optional[str] = None,
                 ca: Optional[str] = None, revoked: Optional[str] = None,
                 retry_seconds: float = 60.0, timeout: Optional[float] = None):
        """url: as "http://127.0.0.1:8080"; of several masters a list, or with commas between
        them: the one that leads is found. Else that of STOKER_WEB_URL, else DEFAULT_URL.
        cert, key, ca: PEM files for https://, else those that STOKER_TLS_CERT, STOKER_TLS_KEY
        and STOKER_TLS_CA name: what the client shows, and the authority that it believes.
        revoked: the list of serial numbers of certificates that do not count any more, else that of
        STOKER_TLS_REVOKED. The number of the server's own certificate is looked up there.
        retry_seconds: for how long a request is repeated while no master leads, as while one
        is started again. It changes nothing twice. 0: each address is asked once.
        timeout: of each question and order; raise TimeoutError after so many seconds. What waits
        or goes on, as run, output and events, has a timeout of its own.

        It can be pickled, with the names of these files.
        """
        urls: Iterable[str] = url or os.environ.get("STOKER_WEB_URL") or DEFAULT_URL
        if isinstance(urls, str):
            urls = urls.split(",")
        addresses = [Address.of(x) for x in urls if x.strip()]
        if not addresses:
            raise ValueError("there is no URL of a master")
        tls = None
        if any(x.is_encrypted for x in addresses):
            environment = os.environ.get
            if not cert and not key:
                cert, key = environment("STOKER_TLS_CERT"), environment("STOKER_TLS_KEY")
            ca = ca or environment("STOKER_TLS_CA")
            revoked = revoked or environment("STOKER_TLS_REVOKED")
            tls = Tls(cert, key, ca, revoked)
        elif cert or key or ca or revoked:
            raise ValueError(f"{addresses[0].url} takes no certificate: https:// does")
        self._made_with: Dict[str, Any] = {
            "cert": cert, "key": key, "ca": ca, "revoked": revoked,
            "retry_seconds": retry_seconds, "timeout": timeout}
        self._timeout = timeout
        self._master = Master(addresses, tls, retry_seconds)
        self._watcher = Watcher(lambda jobs: self._look(jobs, Deadline()))

    @property
    def url(self) -> str:
        """Of the master that has answered last."""
        return self._master.url

    def __repr__(self) -> str:
        return f"Client({','.join(x.url for x in self._master.addresses)!r})"

    def __reduce__(self) -> Any:
        urls = [x.url for x in self._master.addresses]
        return functools.partial(type(self), urls, **self._made_with), ()

    # -- programs ---------------------------------------------------------------

    def submit(self, command: Sequence[Word], *, name: str = "", cores: int = 1,
               memory_mb: int = 512, resources: Optional[Mapping[str, int]] = None,
               environment: Optional[Mapping[str, Word]] = None,
               working_directory: Union[str, "os.PathLike[str]"] = "",
               supervise: bool = False, max_restarts: Optional[int] = None,
               after: After = (), after_ok: After = (),
               on_end: Optional[Sequence[Word]] = None, on_end_retries: int = 5,
               executors: Optional[Mapping[str, Any]] = None,
               wait: bool = False, submission: str = "") -> Job:
        """Starts a program on the cluster.

        max_restarts: start it again at most so often after a failure.
        after, after_ok: start it when these have ended, and have ended well; jobs, or
        ids of applications and drivers.
        on_end: a program that runs on the cluster when this one has ended.
        executors: start it only when these fit too, and keep their room for what it runs on the
        cluster, as {"count": 2, "cores": 1, "memory_mb": 512, "resources": {"gpu": 1}};
        what is left out is as here, without resources, and 1 executor. {"count": 0} says that it
        runs nothing there.
        wait: for a worker that is large enough, if none is; else that is an error.
        submission: starts nothing where this was given before, and gives the job that was
        started then. So a script may be run again. All else has to be the same, too.
        """
        description = _description(
            command, name=name, cores=cores, memory_mb=memory_mb, resources=resources,
            environment=environment, working_directory=working_directory, supervise=supervise,
            max_restarts=max_restarts, after=after, after_ok=after_ok, on_end=on_end,
            on_end_retries=on_end_retries, executors=executors, wait=wait)
        # Repeating a request with the same starts nothing twice.
        answer = self._ask("POST", "/drivers", body={
            **description, "submission": submission or uuid.uuid4().hex})
        return Job(self, str(answer["driver_id"]))

    def run(self, command: Sequence[Word], n: int = 1, *, check: bool = True,
            timeout: Optional[float] = None, name: str = "", cores: int = 1,
            memory_mb: int = 512, resources: Optional[Mapping[str, int]] = None,
            environment: Optional[Mapping[str, Word]] = None,
            working_directory: Union[str, "os.PathLike[str]"] = "",
            supervise: bool = False, max_restarts: Optional[int] = None,
            after: After = (), after_ok: After = (),
            on_end: Optional[Sequence[Word]] = None, on_end_retries: int = 5,
            executors: Optional[Mapping[str, Any]] = None,
            wait: bool = False) -> List[Result]:
        """Starts n programs, and waits for all of them.

        Each finds its number in STOKER_INDEX, and n in STOKER_COUNT.
        check: raise Failed as soon as one of them fails; the others are ended then.
        timeout: raise TimeoutError after so many seconds; all are ended then, as on Ctrl-C. That
        takes up to 2 s more where the master does not answer, and a warning names what may go on.
        Others are those of submit.
        """
        if n < 1:
            raise ValueError("n has to be at least 1")
        description = _description(
            command, name=name, cores=cores, memory_mb=memory_mb, resources=resources,
            environment=environment, working_directory=working_directory, supervise=supervise,
            max_restarts=max_restarts, after=after, after_ok=after_ok, on_end=on_end,
            on_end_retries=on_end_retries, executors=executors, wait=wait)
        return Run(self._master, description, n, timeout).results(self, check)

    def job(self, driver_id: str) -> Job:
        """A program that was started before."""
        return Job(self, driver_id)

    def _look(self, jobs: Sequence[Job],
              deadline: Deadline) -> Dict[Job, Union[Result, Error]]:
        return look(self._master, jobs, deadline)

    # -- what there is ------------------------------------------------------------

    def status(self, *, workers: bool = True, applications: bool = True, drivers: bool = True,
               app: Optional[str] = None,
               executors_max: Optional[int] = None) -> types.Status:
        """As 'stoker status --json'.

        workers, applications, drivers: whether to tell of them. app: only this application.
        executors_max: of how many executors; else 1000.
        """
        return cast(types.Status, self._get("/status", {
            "workers": workers, "applications": applications, "drivers": drivers, "app": app,
            "executors_max": executors_max}))

    def workers(self) -> List[types.Worker]:
        """All workers."""
        return self.status(applications=False, drivers=False)["workers"]

    def worker(self, worker_id: str) -> types.Worker:
        """A worker."""
        return cast(types.Worker, self._get(f"/workers/{part(worker_id)}"))

    def application(self, app_id: str) -> types.Application:
        """An application, with its executors."""
        return cast(types.Application, self._get(f"/applications/{part(app_id)}"))

    def executor(self, executor: str) -> types.Executor:
        """An executor, as "app-20261126120000-0001/0"."""
        return cast(types.Executor, self._get(path_of(executor)))

    def driver(self, driver_id: str) -> types.Driver:
        """A driver."""
        return cast(types.Driver, self._get(f"/drivers/{part(driver_id)}"))

    def explain(self, entity_id: str) -> types.Explanation:
        """Why an application or a driver has what it has."""
        return cast(types.Explanation, self._get(path_of(entity_id) + "/explanation"))

    def kill(self, entity_id: str) -> None:
        """Ends an application, an executor ("APP/N") or a driver."""
        try:
            self._ask("POST", path_of(entity_id) + "/kill")
        except Error as error:
            # It may be ended by the first of two requests, whose answer was lost.
            if not (error.status == 409 and error.is_repeated
                    and self._get(path_of(entity_id))["state"] == "KILLED"):
                raise

    def queues(self) -> types.Queues:
        """As 'stoker queues --json'."""
        return cast(types.Queues, self._get("/queues"))

    def jobs(self, *, app: Optional[str] = None, user: Optional[str] = None,
             state: Optional[str] = None, active: bool = False,
             rows_max: Optional[int] = None) -> types.Jobs:
        """As 'stoker status jobs --json'."""
        return cast(types.Jobs, self._get("/jobs", {
            "app": app, "user": user, "state": state, "active": active, "rows_max": rows_max}))

    def history(self, *, kind: Optional[str] = None, id: Optional[str] = None,
                app: Optional[str] = None, name: Optional[str] = None,
                user: Optional[str] = None, company: Optional[str] = None,
                state: Optional[str] = None, since_ms: Optional[int] = None,
                until_ms: Optional[int] = None, rows_max: Optional[int] = None,
                after: Optional[str] = None) -> types.History:
        """What has ended: as 'stoker history --json'.

        kind: application, driver, executor, stage, or some of them with commas between them.
        after: the "next" of what was answered before.
        """
        return cast(types.History, self._get("/history", {
            "kind": kind, "id": id, "app": app, "name": name, "user": user, "company": company,
            "state": state, "since_ms": since_ms, "until_ms": until_ms, "rows_max": rows_max,
            "after": after}))

    def use(self, *, from_: Optional[str] = None, to: Optional[str] = None,
            company: Optional[str] = None, user: Optional[str] = None) -> types.UseByMonth:
        """Use by month: as 'stoker history --monthly --json'. from_, to: as "2026-11"."""
        return cast(types.UseByMonth, self._get("/use", {
            "from": from_, "to": to, "company": company, "user": user}))

    def plan(self, *, end_apps: Sequence[str] = (), remove_workers: Sequence[str] = (),
             add_workers: Sequence[types.PlannedWorker] = (),
             add_apps: Sequence[types.PlannedApplication] = (),
             end_drivers: Sequence[str] = (),
             add_drivers: Sequence[types.DriverToPlan] = ()) -> types.Plan:
        """What would happen if these ended, left and came: workers after what ends."""
        return cast(types.Plan, self._ask("POST", "/plan", body={
            "end_apps": list(end_apps), "remove_workers": list(remove_workers),
            "add_workers": list(add_workers), "add_apps": list(add_apps),
            "end_drivers": list(end_drivers), "add_drivers": list(add_drivers)}))

    # -- what goes on ---------------------------------------------------------------

    def events(self, after: int = 0, of: str = "",
               timeout: Optional[float] = None) -> Iterator[types.Event]:
        """What happens, as it happens; without an end.

        after: the number of one that is known. Numbers grow, also where another master leads; a
        master has what has happened since it began, and no more than the last 10,000. Where some
        may be missing, one comes in their place whose "event" is "missed": its "number" is that of
        the last one before.
        of: only what names this, as an id, an executor as APP/N, or a user.
        timeout: raise TimeoutError after so many seconds.
        """
        return follow_events(self._master, after, of, timeout)

    def output(self, program: str, *, stream: types.Stream = "stdout", follow: bool = True,
               tail: int = 0, timeout: Optional[float] = None, encoding: str = "utf-8",
               errors: str = "replace") -> Iterator[str]:
        """The lines that a driver, or an executor ("APP/N"), writes, as it writes them.

        follow: until it ends, over restarts of masters; else what there is.
        tail: at most so many bytes of what there is; 0: all. Where it began with such a part,
        and the master is lost, Error is raised.
        timeout: raise TimeoutError after so many seconds.
        encoding, errors: of its bytes, as of bytes.decode; lines end with the byte "\\n". With
        errors="surrogateescape" each line.encode(errors="surrogateescape") has them as they were.

        Lines that begin with [stoker] are not the program's.
        """
        if not is_driver(program) and "/" not in program:
            raise ValueError(f"{program!r} has no output: drivers and executors (APP/N) have")
        return follow_output(self._master, program, stream, follow, tail, timeout, encoding,
                             errors)

    def _get(self, path: str, query: Optional[Mapping[str, Any]] = None) -> Any:
        return self._ask("GET", path, query=query)

    def _ask(self, method: str, path: str, *, body: Optional[Mapping[str, Any]] = None,
             query: Optional[Mapping[str, Any]] = None) -> Any:
        return self._master.ask(method, path, body=body, query=query,
                                deadline=self._deadline())

    def _deadline(self) -> Deadline:
        """Of a question or an order that begins now."""
        return Deadline(self._timeout)


def _description(command: Sequence[Word], *, name: str, cores: int, memory_mb: int,
                 resources: Optional[Mapping[str, int]],
                 environment: Optional[Mapping[str, Word]],
                 working_directory: Union[str, "os.PathLike[str]"], supervise: bool,
                 max_restarts: Optional[int], after: After, after_ok: After,
                 on_end: Optional[Sequence[Word]], on_end_retries: int,
                 executors: Optional[Mapping[str, Any]], wait: bool) -> Dict[str, Any]:
    """The body of POST /drivers."""
    return {
        "command": words_of("command", command),
        "name": name,
        "cores": cores,
        "memory_mb": memory_mb,
        "resources": dict(resources or {}),
        "environment": environment_of(environment),
        "working_directory": os.fspath(working_directory),
        "supervise": supervise,
        "max_restarts": max_restarts,
        "after": _ids(after),
        "after_ok": _ids(after_ok),
        "on_end": None if on_end is None else {
            "command": words_of("on_end", on_end), "retries": on_end_retries},
        **({} if executors is None else {"executors": dict(executors)}),
        "wait": wait,
    }
