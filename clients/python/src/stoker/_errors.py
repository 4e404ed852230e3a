"""What is raised."""

from __future__ import annotations


class Error(Exception):
    """The master has refused something, or is not there.

    status: that of HTTP; 0: nobody has answered.
    detail: one line for people.
    is_repeated: the request was repeated, and an earlier one may have been carried out.
    """

    def __init__(self, status: int, detail: str, *, is_repeated: bool = False):
        # As they are: what is pickled is made again of these.
        super().__init__(status, detail)
        self.status = status
        self.detail = detail
        self.is_repeated = is_repeated

    def __str__(self) -> str:
        return self.detail


class NoAnswer(Exception):
    """Inside the package: an address has not answered, or not to the end.

    is_final: asking again changes nothing.
    has_connected: the request may have arrived.
    """

    def __init__(self, reason: object, *, is_final: bool = False, has_connected: bool = False):
        super().__init__(str(reason))
        self.is_final = is_final
        self.has_connected = has_connected
