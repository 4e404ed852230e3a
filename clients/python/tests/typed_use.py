"""What a type checker has to accept, and what it has to refuse: see types_test. Not to be run."""

import asyncio
import concurrent.futures
import pathlib
from typing import List, Optional

import stoker

# -- is accepted, and known -----------------------------------------------------------

results: List[stoker.Result] = stoker.run(["sh", "-c", "true", pathlib.Path("/"), 3], n=4)
client = stoker.Client(["http://127.0.0.1:8080", "http://127.0.0.1:8081"], retry_seconds=5)
job: stoker.Job = client.submit(["true"], after=["driver-1"], environment={"A": 1})
future: "concurrent.futures.Future[stoker.Result]" = job.future()
status: Optional[int] = job.wait(timeout=3).exit_status
cores: int = client.workers()[0]["cores"]
name: str = job.status()["name"]
lines: List[str] = list(job.logs(stream="stderr", timeout=5, errors="surrogateescape"))
quick: stoker.Client = stoker.Client(timeout=2.5)
is_same: bool = job == quick.job("driver-1")
number: int = next(client.events())["number"]
gaps: List[str] = [x["fields"] for x in client.events() if x["event"] == "missed"]
total: int = client.plan(add_workers=[{"count": 2, "cores": 4}])["total"]["cores"]
version: str = stoker.__version__


async def main() -> stoker.Result:
    task: "asyncio.Task[stoker.Result]" = asyncio.create_task(job.completion())
    await task
    return await job


# -- is refused: a comment that is not needed is an error, too ------------------------

stoker.run(3, n=4)  # type: ignore[arg-type]
stoker.run(["ls"], corse=3)  # type: ignore[call-arg]
stoker.submit(["ls"], cores="3")  # type: ignore[arg-type]
stoker.submit([b"ls"])  # type: ignore[list-item]
client.run(["ls"], corse=3)  # type: ignore[call-arg]
client.history(kinds="driver")  # type: ignore[call-arg]
client.plan(add_workers=[{"counts": 2}])  # type: ignore[typeddict-unknown-key]
job.logs(stream="both")  # type: ignore[arg-type]
job.status()["names"]  # type: ignore[typeddict-item]
