#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stoker {

// Answers for HTTP clients that confuse the port of Spark's programs with that of
// submissions. A request is not parsed beyond a part of the first line.

/// How much of a request is looked at.
inline constexpr std::size_t http_line_max = 512;

/// Returns true if bytes begin as a request of HTTP/1 does. No frame begins so: as a length,
/// these bytes are far beyond all limits.
bool begins_http(std::string_view bytes);

/// Returns a whole answer of HTTP/1.1, after which the connection closes; empty for a request
/// that creates a submission, which is not answered. It leads requests for
/// the status of a submission to the right port, where that is known, and says in words of
/// Spark's submission protocol which port is meant.
/// @param request its beginning, of `http_line_max` bytes at most
/// @param submissions where submissions are over HTTP, such as "http://127.0.0.1:6066"; empty:
/// nowhere
/// @param pages the same of pages
/// @param spark_version the version of Spark that the answer names
/// @param is_near whether the client reaches the same addresses: it is on this machine
std::string http_hint(std::string_view request, const std::string& submissions,
                      const std::string& pages,
                      const std::string& spark_version, bool is_near);

} // namespace stoker
