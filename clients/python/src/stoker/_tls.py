"""Certificates: which one a client shows, and which it believes."""

from __future__ import annotations

import os
import re
import socket
import ssl
from typing import Optional, Set


class Tls:
    """Wraps connections. Can be used by several threads at once."""

    def __init__(self, cert: Optional[str], key: Optional[str], ca: Optional[str],
                 revoked: Optional[str]):
        """cert, key: the client shows this certificate. ca: it believes this authority, else those
        of the system.
        revoked: a file with the serial numbers of certificates that do not count any more. It is
        read for each connection."""
        if bool(cert) != bool(key):
            raise ValueError("a certificate and its key are given together: cert and key, or "
                             "STOKER_TLS_CERT and STOKER_TLS_KEY")
        for name, path in (("cert", cert), ("key", key), ("ca", ca), ("revoked", revoked)):
            if path and not os.path.isfile(path):
                raise FileNotFoundError(f"{name}: there is no file {path}")
        try:
            self._context = ssl.create_default_context(cafile=ca or None)
            if cert:
                self._context.load_cert_chain(cert, key)
        except ssl.SSLError as error:
            raise ValueError(f"{cert or ''} {ca or ''}: these are no certificate and key that "
                             f"belong together, and no authority, as PEM: {error.reason}"
                             ) from None
        self._revoked = revoked
        if revoked:
            _serial_numbers(revoked)

    def wrap(self, connection: socket.socket, host: str) -> ssl.SSLSocket:
        """Returns the connection after its handshake. Raises SSLCertVerificationError for a
        certificate that is not believed, and WrongList."""
        revoked = _serial_numbers(self._revoked) if self._revoked else set()
        result = self._context.wrap_socket(connection, server_hostname=host)
        try:
            certificate = result.getpeercert() or {}
            if _normal(str(certificate.get("serialNumber", ""))) in revoked:
                error = ssl.SSLCertVerificationError(1, "certificate revoked")
                error.verify_message = "certificate revoked"
                raise error
        except BaseException:
            result.close()
            raise
        return result


class WrongList(ValueError):
    """Inside the package: the list of revoked certificates cannot be used."""


def _serial_numbers(path: str) -> Set[str]:
    """Reads a list with a number on each line. A '#' begins a comment. Raises WrongList."""
    result = set()
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.readlines()
    except OSError as error:
        raise WrongList(f"cannot use the list of revoked certificates: {error}") from None
    for number, line in enumerate(lines, 1):
        entry = line.split("#", 1)[0].strip()
        if not entry:
            continue
        serial = entry[7:] if entry.startswith("serial=") else entry
        if not re.fullmatch("[0-9A-Fa-f:]*[0-9A-Fa-f][0-9A-Fa-f:]*", serial):
            raise WrongList(f"{path}:{number}: {entry[:40]!r} is not a serial number; write "
                            "the hexadecimal digits that 'openssl x509 -serial' prints")
        result.add(_normal(serial))
    return result


def _normal(serial: str) -> str:
    return serial.replace(":", "").upper().lstrip("0")
