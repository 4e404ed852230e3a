"""Until when something is waited for."""

from __future__ import annotations

import math
import random
import time
from typing import Iterator, Optional


class Deadline:
    """A moment, so many seconds from now. None: never."""

    def __init__(self, seconds: Optional[float] = None):
        self._end = math.inf if seconds is None else time.monotonic() + seconds

    def left(self) -> float:
        """In seconds; 0: it has passed; infinite: it never does."""
        return max(0.0, self._end - time.monotonic())

    def has_passed(self) -> bool:
        return self.left() <= 0

    def within(self, seconds: float) -> Deadline:
        """The earlier one of this, and so many seconds from now."""
        return Deadline(min(seconds, self.left()))


def pauses(first: float, last: float, growth: float = 1.5) -> Iterator[float]:
    """Seconds between one try and the next: short at first, then longer. Not the same for all,
    so that those who lost a master at once do not come back at once."""
    pause = first
    while True:
        yield pause * random.uniform(0.75, 1.0)
        pause = min(last, pause * growth)
