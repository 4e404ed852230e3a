"""Paths of the REST interface, by ids as the command line has them."""

from __future__ import annotations

import urllib.parse


def part(text: str) -> str:
    return urllib.parse.quote(str(text), safe="")


def is_driver(program: str) -> bool:
    return program.startswith("driver-")


def path_of(program: str) -> str:
    """Of a driver, an executor ("APP/N") or an application."""
    if is_driver(program):
        return f"/drivers/{part(program)}"
    app, slash, executor = program.partition("/")
    if slash:
        return f"/executors/{part(app)}/{part(executor)}"
    return f"/applications/{part(program)}"
