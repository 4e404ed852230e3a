#include "scheduling/registration/failed_round.hpp"

#include <boost/algorithm/string/join.hpp>

namespace stoker {

void FailedRound::add(const std::string& reason, bool is_refusal) {
  (is_refusal ? refusals_ : others_).insert(reason);
  last_ = reason;
}

std::string FailedRound::reasons() const {
  return boost::algorithm::join(has_refusal() ? refusals_ : others_, "; ");
}

std::string FailedRound::last() const {
  return has_refusal() ? reasons() : last_;
}

} // namespace stoker
