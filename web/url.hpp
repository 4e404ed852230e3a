#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stoker {

/// "a%20b" -> "a b". Nothing: it is badly encoded.
/// @param in_query where "a+b" is that as well
std::optional<std::string> url_decoded(std::string_view x, bool in_query);

/// What stands between the slashes of a path, decoded. Nothing: it is badly encoded.
std::optional<std::vector<std::string>> decoded_parts(std::string_view path);

/// The value of a name in a query, as "page" in "/workers?page=2"; nothing: it is not there,
/// or badly encoded.
std::optional<std::string> query_value(std::string_view target,
                                       std::string_view name);

/// What keeps a query from being NAME=VALUE with '&' between them, each name once, in a
/// line; empty: nothing does.
std::string malformed_query(std::string_view query);

/// The names in a query, as "page" in "page=2&of=a": as they stand there.
std::vector<std::string_view> query_names(std::string_view query);

} // namespace stoker
