#pragma once

// How much others may have a master remember. What is larger is refused before it
// is stored.

#include <map>
#include <string>

#include "messages/all.hpp"
#include "messages/result.hpp"

namespace stoker {

/// @return Errc::invalid_request, with what is too large
[[nodiscard]] Status check_sizes(const RegisterWorker& x);
[[nodiscard]] Status check_sizes(const RegisterApplication& x);
[[nodiscard]] Status check_sizes(const RequestSubmitDriver& x);
[[nodiscard]] Status check_sizes(const std::map<std::string, int>& hosts);
[[nodiscard]] Status check_sizes(const ReportJobs& x);

} // namespace stoker
