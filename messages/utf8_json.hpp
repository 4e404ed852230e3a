#pragma once

#include <string>

#include <boost/json/value.hpp>

namespace stoker {

/// The JSON text of a value for others to read: with U+FFFD for each byte that is not part of
/// a character, since RFC 8259 has JSON in UTF-8. What users name may hold any bytes.
[[nodiscard]] std::string utf8_json(const boost::json::value& x);

} // namespace stoker
