"""Tasks of a barrier stage of Stoker wait for each other.

For programs of `stoker job` whose stage has "barrier": true. One file, without
dependencies, for Python 3.9 and later. docs/barrier.md tells more.

    import stoker_barrier as barrier

    barrier.barrier()
    for host in barrier.all_gather(socket.gethostname()): ...
"""

import json
import os
import socket

__all__ = ["BarrierError", "BarrierTaskContext", "BarrierTaskInfo", "all_gather", "barrier", "tasks"]


class BarrierError(Exception):
    """The others will not come, or this task is to end. It is for good."""


def _ask(request, answer):
    path = os.environ.get("STOKER_BARRIER_SOCKET")
    if path is None:
        raise BarrierError("this is no task of a barrier stage: STOKER_BARRIER_SOCKET is not set")
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as channel:
            channel.connect(path)
            try:
                channel.sendall(json.dumps(request).encode() + b"\n")
            except (BrokenPipeError, ConnectionResetError):
                # It may have said why it does not listen any more.
                pass
            line = _line_of(channel)
    except (OSError, ValueError) as error:
        raise BarrierError(f"the executor cannot be asked: {error}") from error
    if not line:
        raise BarrierError(
            "the executor does not answer: the task is to end, or has too many callers")
    if not line.endswith(b"\n"):
        raise BarrierError("the executor's answer is cut off")
    return _texts_in(line, answer)


def _line_of(channel):
    with channel.makefile("rb") as file:
        try:
            return file.readline()
        except ConnectionResetError:
            # It has not even read the request.
            return b""


def _texts_in(line, answer):
    try:
        said = json.loads(line.decode())
    except (ValueError, RecursionError):
        said = None
    if isinstance(said, dict):
        if isinstance(said.get("error"), str):
            raise BarrierError(said["error"])
        texts = said.get(answer)
        if isinstance(texts, list) and all(isinstance(text, str) for text in texts):
            return texts
    raise BarrierError("the executor's answer is not understood")


def _number(name):
    try:
        return int(os.environ[name])
    except (KeyError, ValueError):
        raise BarrierError(f"this is no task of Stoker: {name} is no number") from None


def barrier():
    """Returns when all tasks of the stage have called it."""
    _ask({"call": "barrier"}, "messages")


def all_gather(message=""):
    """The same; returns what each task said, a list by task."""
    return _ask({"call": "all_gather", "message": str(message)}, "messages")


def tasks():
    """The hosts of all tasks, by task."""
    return _ask({"call": "tasks"}, "tasks")


class BarrierTaskInfo:
    def __init__(self, address):
        self.address = address


class BarrierTaskContext:
    """The same under the names that PySpark has."""

    @classmethod
    def get(cls):
        return cls()

    def barrier(self):
        barrier()

    def allGather(self, message=""):
        return all_gather(message)

    def getTaskInfos(self):
        return [BarrierTaskInfo(host) for host in tasks()]

    def partitionId(self):
        return _number("STOKER_TASK")

    def attemptNumber(self):
        return _number("STOKER_ATTEMPT")
