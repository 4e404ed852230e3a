"""One request over HTTP to one address, in a limited time."""

from __future__ import annotations

import http.client
import io
import socket
import ssl
import urllib.parse
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, cast

from ._deadline import Deadline
from ._errors import NoAnswer
from ._tls import Tls, WrongList

# How long one address may take to be reached.
_CONNECT_S = 10.0

# What is read at once of an answer that goes on.
_PIECE = 256 * 1024


class DeadlinePassed(OSError):
    """Inside the package: what was asked for has not come in time."""


@dataclass(frozen=True)
class Address:
    """Where a master may be."""

    url: str
    is_encrypted: bool
    host: str
    port: int
    host_field: str
    prefix: str

    @staticmethod
    def of(url: str) -> Address:
        url = url.strip().rstrip("/")
        parts = urllib.parse.urlsplit(url)
        try:
            port = parts.port
        except ValueError:
            port = -1
        if (parts.scheme not in ("http", "https") or not parts.hostname or port == -1
                or "@" in parts.netloc or parts.query or parts.fragment):
            raise ValueError(f"{url!r} is no URL of a master, as http://127.0.0.1:8080")
        is_encrypted = parts.scheme == "https"
        return Address(url, is_encrypted, parts.hostname,
                       port or (443 if is_encrypted else 80), parts.netloc, parts.path)


class _Limits:
    """When the next byte has to be there, which may change between head and body."""

    def __init__(self, deadline: Deadline):
        self.deadline = deadline
        self.silence_s = 0.0
        self.on_silence: Optional[Callable[[], None]] = None


class _Reader(io.RawIOBase):
    """Reads a socket in time. That of the library cannot go on after a timeout."""

    def __init__(self, connection: socket.socket, limits: _Limits):
        super().__init__()
        self._connection = connection
        self._limits = limits

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while True:
            left = self._limits.deadline.left()
            if left <= 0:
                raise DeadlinePassed
            on_silence = self._limits.on_silence
            wait = min(left, self._limits.silence_s) if on_silence else left
            try:
                self._connection.settimeout(_seconds(wait))
                return self._connection.recv_into(buffer)
            except socket.timeout:
                if on_silence and not self._limits.deadline.has_passed():
                    on_silence()


class _Connection:
    """What http.client needs of a socket, each step of it in time."""

    def __init__(self, connection: socket.socket, limits: _Limits):
        self._connection = connection
        self._limits = limits

    def sendall(self, data: bytes) -> None:
        self._connection.settimeout(_seconds(self._limits.deadline.left()))
        try:
            self._connection.sendall(data)
        except socket.timeout:
            raise DeadlinePassed from None

    def makefile(self, *_: Any) -> io.BufferedReader:
        return io.BufferedReader(_Reader(self._connection, self._limits), _PIECE)

    def close(self) -> None:
        """The answer is read after its connection was given up: see Answer.close."""


def _seconds(left: float) -> float:
    """For settimeout, which takes 0 for something else, and has a limit."""
    return min(max(left, 0.001), 3600.0)


class Answer:
    """What an address answers; its body can be read while it comes."""

    def __init__(self, connection: socket.socket, response: http.client.HTTPResponse,
                 limits: _Limits):
        self._connection = connection
        self._response = response
        self._limits = limits
        self.status = response.status
        self.reason = response.reason

    def __enter__(self) -> Answer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._response.close()
        self._connection.close()

    @property
    def tells_its_end(self) -> bool:
        """Otherwise one that was cut off looks as one that is complete."""
        return self._response.chunked or self._response.length is not None

    def take_time(self, deadline: Deadline, on_silence: Optional[Callable[[], None]] = None,
                  silence_s: float = 0.0) -> None:
        """The body may come until then. on_silence: called whenever nothing has come for so
        many seconds; it may raise NoAnswer."""
        self._limits.deadline = deadline
        self._limits.silence_s = silence_s
        self._limits.on_silence = on_silence

    def read(self) -> bytes:
        """All of the body."""
        return self._read(self._response.read)

    def read_some(self) -> bytes:
        """What comes next; empty: that was all."""
        if self._response.length is not None:
            return self.read()
        return self._read(lambda: self._response.read1(_PIECE))

    @staticmethod
    def _read(read: Callable[[], bytes]) -> bytes:
        try:
            return read()
        except DeadlinePassed:
            raise
        except http.client.IncompleteRead:
            raise NoAnswer("the answer was cut off", has_connected=True) from None
        except (OSError, http.client.HTTPException) as error:
            raise NoAnswer(error, has_connected=True) from None


def exchange(address: Address, tls: Optional[Tls], method: str, target: str,
             body: Optional[bytes], fields: Mapping[str, str], deadline: Deadline,
             on_connection: Optional[Callable[[], None]] = None) -> Answer:
    """Sends a request, and reads the head of the answer.

    Raises NoAnswer, and DeadlinePassed. on_connection: called before the request is sent.
    """
    limits = _Limits(deadline)
    connection = _connect(address, tls, deadline)
    try:
        if on_connection is not None:
            on_connection()
        library = http.client.HTTPConnection(address.host, address.port)
        library.sock = cast(socket.socket, _Connection(connection, limits))
        try:
            library.request(method, address.prefix + target, body=body, headers={
                "Host": address.host_field, "Connection": "close", **fields})
        except (BrokenPipeError, ConnectionResetError, ssl.SSLEOFError):
            # It does not want to hear the rest, and has said why.
            pass
        return Answer(connection, library.getresponse(), limits)
    except DeadlinePassed:
        connection.close()
        raise
    except (OSError, http.client.HTTPException) as error:
        connection.close()
        raise NoAnswer(error, is_final=_is_final(error), has_connected=True) from None
    except BaseException:
        connection.close()
        raise


def _connect(address: Address, tls: Optional[Tls],
             deadline: Deadline) -> socket.socket:
    connection = None
    try:
        connection = socket.create_connection(
            (address.host, address.port), _seconds(deadline.within(_CONNECT_S).left()))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls is not None and address.is_encrypted:
            connection.settimeout(_seconds(deadline.within(_CONNECT_S).left()))
            connection = tls.wrap(connection, address.host)
        return connection
    except BaseException as error:
        if connection is not None:
            connection.close()
        if deadline.has_passed() and isinstance(error, socket.timeout):
            raise DeadlinePassed from None
        if isinstance(error, WrongList):
            raise NoAnswer(error, is_final=True) from None
        if isinstance(error, OSError):
            raise NoAnswer(_text_of(error), is_final=_is_final(error)) from None
        raise


def _is_final(error: BaseException) -> bool:
    """Certificates do not become right by trying again."""
    return (isinstance(error, ssl.SSLError)
            and not isinstance(error, (ssl.SSLEOFError, ssl.SSLZeroReturnError)))


def _text_of(error: OSError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not believed: {error.verify_message}"
    return str(error)
