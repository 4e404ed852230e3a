#pragma once

namespace stoker {

/// From now on, each connection that this process refuses in the TLS handshake
/// leaves one line in the log: who tried, and what was wrong. Also sets TLS 1.3
/// as the oldest version that is accepted.
void report_tls_refusals();

} // namespace stoker
