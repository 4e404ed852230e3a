"""What is asked of the master that leads, wherever it is, and asked again while none does."""

from __future__ import annotations

import json
import logging
import time
import urllib.parse
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from ._deadline import Deadline, pauses
from ._errors import Error, NoAnswer
from ._http import Address, Answer, DeadlinePassed, exchange
from ._tls import Tls
from ._version import __version__

_log = logging.getLogger("stoker")

# Longer than a master takes for anything.
_ANSWER_S = 20.0

# As the state of a large cluster may take over a slow line.
_BODY_S = 60.0

# A master that says nothing for so long is asked whether it still leads.
SILENCE_S = 30.0

_FIRST_PAUSE_S = 0.2
_LAST_PAUSE_S = 5.0

# What a standby answers, and what proxies do whose master is away.
_UNAVAILABLE = frozenset({502, 503, 504})


class Master:
    """One or several addresses, of which one leads. For several threads at once.

    Each request may be sent several times: whoever asks sees to it that the second one does
    what the first one would have done.
    """

    def __init__(self, addresses: Sequence[Address], tls: Optional[Tls],
                 retry_seconds: float):
        self.addresses = list(addresses)
        self._tls = tls
        self.retry_seconds = retry_seconds
        # That of the last answer.
        self._leader = 0

    @property
    def url(self) -> str:
        return self.addresses[self._leader].url

    def ask(self, method: str, path: str, *, body: Optional[Mapping[str, Any]] = None,
            query: Optional[Mapping[str, Any]] = None, deadline: Optional[Deadline] = None,
            retry: bool = True, on_connection: Optional[Callable[[], None]] = None) -> Any:
        """The JSON that is answered. Raises Error, and TimeoutError.

        on_connection: called before the request is sent. If it was not, nobody has got it.
        """
        with self._ask(method, path, body, query, deadline or Deadline(), retry,
                       whole=True, on_connection=on_connection) as answer:
            return json.loads(answer.body)

    def follow(self, path: str, query: Mapping[str, Any], deadline: Deadline) -> Reply:
        """An answer that goes on. Raises Error, and TimeoutError, as reading it does; that
        raises NoAnswer, too."""
        return self._ask("GET", path, None, query, deadline, True, whole=False)

    def check_leads(self, address: Address, deadline: Deadline) -> None:
        """Raises NoAnswer if nobody leads there. Who follows events would wait for ever."""
        try:
            with exchange(address, self._tls, "GET", "/readyz", None, {},
                          deadline.within(_ANSWER_S)) as answer:
                if answer.status != 200:
                    raise NoAnswer("this master does not lead")
        except DeadlinePassed:
            raise NoAnswer(f"nothing has come for {SILENCE_S:.0f} s") from None

    # -- to the one that leads ------------------------------------------------------

    def _ask(self, method: str, path: str, body: Optional[Mapping[str, Any]],
             query: Optional[Mapping[str, Any]], deadline: Deadline, retry: bool,
             whole: bool, on_connection: Optional[Callable[[], None]] = None) -> Reply:
        target = "/api/v1" + path + _query_of(query or {})
        data = None if body is None else json.dumps(body).encode()
        patience = Deadline(self.retry_seconds if retry else 0)
        pause = pauses(_FIRST_PAUSE_S, _LAST_PAUSE_S)
        failures: Dict[str, Error] = {}
        has_connected = False
        is_first = True
        while True:
            index = self._leader
            address = self.addresses[index]
            try:
                answer = self._try(address, method, target, data, deadline, whole,
                                   on_connection)
                if answer.status < 300:
                    return answer
                with answer:
                    error = Error(answer.status, answer.problem(), is_repeated=has_connected)
                if error.status not in _UNAVAILABLE:
                    raise error
                # It may have asked the one that leads, and not heard of it.
                has_connected = True
            except NoAnswer as problem:
                error = Error(0, f"no master answers at {address.url}: {problem}")
                if problem.is_final:
                    raise error from None
                has_connected = has_connected or problem.has_connected
            except DeadlinePassed:
                raise TimeoutError(f"{address.url} has not answered in time") from None
            failures[address.url] = error
            if self._leader == index:
                self._leader = (index + 1) % len(self.addresses)
            if deadline.has_passed():
                raise TimeoutError(error.detail)
            if len(failures) < len(self.addresses):
                continue
            if patience.has_passed():
                raise _sum_of(list(failures.values()))
            if is_first:
                _log.warning("%s; trying again for %.0f s", _sum_of(list(failures.values())),
                             patience.left())
                is_first = False
            failures.clear()
            time.sleep(min(next(pause), patience.left(), deadline.left()))
            if deadline.has_passed():
                raise TimeoutError(error.detail)

    def _try(self, address: Address, method: str, target: str, data: Optional[bytes],
             deadline: Deadline, whole: bool,
             on_connection: Optional[Callable[[], None]]) -> Reply:
        fields = {"Accept": "*/*", "User-Agent": f"stoker-client/{__version__}"}
        if data is not None:
            fields["Content-Type"] = "application/json"
        try:
            if not whole:
                self.check_leads(address, deadline)
            answer = exchange(address, self._tls, method, target, data, fields,
                              deadline.within(_ANSWER_S), on_connection)
            try:
                result = Reply(self, address, answer, deadline)
                if whole or answer.status >= 300:
                    answer.take_time(deadline.within(_BODY_S))
                    result.body = answer.read()
                return result
            except BaseException:
                answer.close()
                raise
        except DeadlinePassed:
            if deadline.has_passed():
                raise
            raise NoAnswer(f"nothing has come for {_ANSWER_S:.0f} s",
                           has_connected=True) from None


class Reply:
    """An answer of a master that leads."""

    def __init__(self, master: Master, address: Address, answer: Answer, deadline: Deadline):
        self._master = master
        self._address = address
        self._answer = answer
        self._deadline = deadline
        self.status = answer.status
        self.tells_its_end = answer.tells_its_end
        # Where all of it was read.
        self.body = b""

    def __enter__(self) -> Reply:
        return self

    def __exit__(self, *_: object) -> None:
        self._answer.close()

    def read_some(self) -> bytes:
        """What comes next; empty: that was all. Raises NoAnswer, and TimeoutError."""
        self._answer.take_time(self._deadline, self.check_leads, SILENCE_S)
        try:
            return self._answer.read_some()
        except DeadlinePassed:
            raise TimeoutError("it goes on") from None

    def check_leads(self) -> None:
        self._master.check_leads(self._address, self._deadline)

    def problem(self) -> str:
        """The one line of a problem document (RFC 9457)."""
        try:
            return str(json.loads(self.body)["detail"])
        except (ValueError, KeyError, TypeError):
            return f"HTTP {self.status} {self._answer.reason}"


def _sum_of(failures: List[Error]) -> Error:
    """Why none of several addresses has answered."""
    if len(failures) == 1:
        return failures[0]
    status = max(x.status for x in failures)
    return Error(status, "; ".join(x.detail for x in failures))


def _query_of(parts: Mapping[str, Any]) -> str:
    given = {k: str(v).lower() if isinstance(v, bool) else str(v)
             for k, v in parts.items() if v is not None}
    return "?" + urllib.parse.urlencode(given) if given else ""
