"""Runs programs on a Stoker cluster, and shows what it does."""

from ._client import DEFAULT_URL, Client, Error
from ._job import Failed, Job, Result

__all__ = ["DEFAULT_URL", "Client", "Error", "Failed", "Job", "Result", "run", "submit"]


def submit(command, **options) -> Job:
    """Starts a program by the master of this machine: see Client.submit."""
    return Client().submit(command, **options)


def run(command, n: int = 1, **options):
    """Starts n programs by the master of this machine, and waits: see Client.run."""
    return Client().run(command, n, **options)
