#pragma once

#include <string>
#include <string_view>

#include "web/http.hpp"

namespace stoker {

/// How small, and how long that takes: for what is sent to a few as it is now, and for what
/// never changes.
enum class GzipEffort { quick, thorough };

/// Whether a field Accept-Encoding asks for gzip by its name (RFC 9110, section 12.5.3).
bool takes_gzip(std::string_view accept_encoding);

/// Compressed as RFC 1952 has it.
/// @pre bytes.size() < 4 GiB
std::string gzip(std::string_view bytes, GzipEffort effort);

/// The same answer with its body compressed; as it is, if it has none, is short, or is
/// compressed already.
///
/// Not for pages with forms: what is in them that nobody may know could be guessed from how
/// long they are, over TLS, too.
HttpResponse compressed(HttpResponse x, GzipEffort effort);

/// An answer that never changes, ready to be sent to who takes gzip and to others.
class FixedAnswer {
public:
  explicit FixedAnswer(HttpResponse x);

  [[nodiscard]] const HttpResponse& to(const HttpRequest& request) const {
    return request.takes_gzip ? compressed_ : plain_;
  }

private:
  HttpResponse plain_;
  HttpResponse compressed_;
};

} // namespace stoker
