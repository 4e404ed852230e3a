#include "jobs/master_choice.hpp"

#include <cstdlib>
#include <utility>

#include "scheduling/common/units.hpp"

namespace stoker::jobs {

Result<MasterChoice> choose_master(const std::string& text) {
  if (text.empty()) {
    const auto* variable = std::getenv("STOKER_MASTER");
    return choose_master(variable == nullptr || *variable == '\0' ? "local"
                                                                  : variable);
  }
  MasterChoice result;
  if (text == "local" || text == "local[*]")
    return result;
  if (text.starts_with("local[") && text.ends_with(']')) {
    result.cores
        = parse_count(std::string_view{text}.substr(6, text.size() - 7));
    if (!result.cores || *result.cores < 1)
      return invalid("the master is '" + text
                     + "'; a cluster in this process is local[N], with a "
                       "number of cores above 0");
    return result;
  }
  auto addresses = parse_master_url(text);
  if (!addresses)
    return std::move(addresses).error();
  result.addresses = *std::move(addresses);
  return result;
}

} // namespace stoker::jobs
