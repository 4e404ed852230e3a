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
        """cert, key: what is shown; ca: the authority that is believed, else those of the system.
        revoked: a file with the serial numbers of certificates that do not count any more. It is
        read for each connection."""
        if bool(cert) != bool(key):
            raise ValueError("a certificate and its key are given together: cert and key, or "
                             "STOKER_TLS_CERT and STOKER_TLS_KEY")
        for what, path in (("cert", cert), ("key", key), ("ca", ca), ("revoked", revoked)):
            if path and not os.path.exists(path):
                raise FileNotFoundError(f"{what}: there is no file {path}")
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
        certificate that is not believed."""
        result = self._context.wrap_socket(connection, server_hostname=host)
        if not self._revoked:
            return result
        certificate = result.getpeercert() or {}
        if _normal(str(certificate.get("serialNumber", ""))) in _serial_numbers(self._revoked):
            result.close()
            error = ssl.SSLCertVerificationError(1, "certificate revoked")
            error.verify_message = "certificate revoked"
            raise error
        return result


def _serial_numbers(path: str) -> Set[str]:
    """One on each line; what follows a '#' is a comment. Raises ValueError."""
    result = set()
    with open(path, encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            entry = line.split("#", 1)[0].strip()
            if not entry:
                continue
            serial = entry[7:] if entry.startswith("serial=") else entry
            if not re.fullmatch("[0-9A-Fa-f:]*[0-9A-Fa-f][0-9A-Fa-f:]*", serial):
                raise ValueError(f"{path}:{number}: {entry[:40]!r} is not a serial number; write "
                                 "the hexadecimal digits that 'openssl x509 -serial' prints")
            result.add(_normal(serial))
    return result


def _normal(serial: str) -> str:
    return serial.replace(":", "").upper().lstrip("0")
