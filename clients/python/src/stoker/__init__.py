"""Runs programs on a Stoker cluster, and shows what it does."""

from __future__ import annotations

import os
from typing import Any, List, Mapping, Optional, Sequence, Union

from . import types
from ._client import DEFAULT_URL, After, Client
from ._errors import Error
from ._job import Failed, Job, Result
from ._version import __version__
from ._words import Word

__all__ = ["DEFAULT_URL", "Client", "Error", "Failed", "Job", "Result", "__version__", "run",
           "submit", "types"]


def submit(command: Sequence[Word], *, name: str = "", cores: int = 1, memory_mb: int = 512,
           resources: Optional[Mapping[str, int]] = None,
           environment: Optional[Mapping[str, Word]] = None,
           working_directory: Union[str, "os.PathLike[str]"] = "", supervise: bool = False,
           max_restarts: Optional[int] = None, after: After = (), after_ok: After = (),
           on_end: Optional[Sequence[Word]] = None, on_end_retries: int = 5,
           executors: Optional[Mapping[str, Any]] = None, wait: bool = False,
           submission: str = "") -> Job:
    """Starts a program by the master of this machine, or of STOKER_WEB_URL: see
    Client.submit."""
    return Client().submit(
        command, name=name, cores=cores, memory_mb=memory_mb, resources=resources,
        environment=environment, working_directory=working_directory, supervise=supervise,
        max_restarts=max_restarts, after=after, after_ok=after_ok, on_end=on_end,
        on_end_retries=on_end_retries, wait=wait, submission=submission)


def run(command: Sequence[Word], n: int = 1, *, check: bool = True,
        timeout: Optional[float] = None, name: str = "", cores: int = 1, memory_mb: int = 512,
        resources: Optional[Mapping[str, int]] = None,
        environment: Optional[Mapping[str, Word]] = None,
        working_directory: Union[str, "os.PathLike[str]"] = "", supervise: bool = False,
        max_restarts: Optional[int] = None, after: After = (), after_ok: After = (),
        on_end: Optional[Sequence[Word]] = None, on_end_retries: int = 5,
        executors: Optional[Mapping[str, Any]] = None, wait: bool = False) -> List[Result]:
    """Starts n programs by the master of this machine, or of STOKER_WEB_URL, and waits: see
    Client.run."""
    return Client().run(
        command, n, check=check, timeout=timeout, name=name, cores=cores, memory_mb=memory_mb,
        resources=resources, environment=environment, working_directory=working_directory,
        supervise=supervise, max_restarts=max_restarts, after=after, after_ok=after_ok,
        on_end=on_end, on_end_retries=on_end_retries, executors=executors, wait=wait)
