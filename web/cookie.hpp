#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stoker {

/// The value of a cookie in a field Cookie, as "a=1; b=2" (RFC 6265). Nothing: it is not
/// there.
std::optional<std::string> cookie_value(std::string_view field,
                                        std::string_view name);

} // namespace stoker
