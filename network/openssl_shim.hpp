#pragma once

namespace stoker {

// Stands between CAF 0.17 and OpenSSL (docs/decisions/0007-mutual-tls.md).

/// From now on, each connection that this process refuses in the TLS handshake
/// leaves one line in the log: who tried, and what was wrong. Also sets TLS 1.3
/// as the oldest version that is accepted.
void report_tls_refusals();

} // namespace stoker
