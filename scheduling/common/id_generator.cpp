#include "scheduling/common/id_generator.hpp"

#include <algorithm>

namespace stoker {

std::string IdGenerator::make(std::string_view kind, Instant now,
                              std::uint32_t number) {
  auto second = std::chrono::floor<std::chrono::seconds>(now);
  if (date_of_ != second) {
    date_ = compact_date(second);
    date_of_ = second;
  }
  auto sequence = std::to_string(number);
  sequence.insert(0, 4 - std::min<std::size_t>(4, sequence.size()), '0');
  return std::string{kind} + '-' + date_ + '-' + sequence;
}

} // namespace stoker
