"""Commands and variables as they are sent."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

# What a command consists of, and what a variable has.
Word = Union[str, int, float, "os.PathLike[str]"]


def words_of(what: str, command: Sequence[Word]) -> List[str]:
    """what: how the caller knows it."""
    if isinstance(command, (str, bytes)):
        raise TypeError(f"{what} is a list: a program and its arguments")
    return [_text_of(what, x) for x in command]


def environment_of(variables: Optional[Mapping[str, Word]]) -> Dict[str, str]:
    return {_text_of("environment", k): _text_of(f"environment: {k}", v)
            for k, v in (variables or {}).items()}


def _text_of(what: str, word: Any) -> str:
    if isinstance(word, os.PathLike):
        word = os.fspath(word)
    # A number is written as Python does; other objects seldom mean what they would look like.
    if not isinstance(word, (str, int, float)) or isinstance(word, bool):
        raise TypeError(f"{what} has strings, paths and numbers, not {word!r}")
    return str(word)
