#pragma once

#include <string>
#include <string_view>

#include "web/page_address.hpp"

namespace stoker {

/// What is not understood of a page's query, in one line; empty: all is. A typing error
/// should not look like an answer to what was asked.
/// @param address that of the target
std::string query_problem(std::string_view target, const PageAddress& address);

/// The same of an output's, as "follow=1&tail=1000".
std::string output_query_problem(std::string_view query);

} // namespace stoker
