#include "scheduling/registration/failed_round.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace stoker {

namespace {

/// What stands in front of a reason, with the blank behind it; empty: no address does.
std::string_view address_in(std::string_view text) {
  auto end = text.find(": ");
  return text.starts_with("stoker://") && end != std::string_view::npos
             ? text.substr(0, end)
             : std::string_view{};
}

/// Each reason once, in order of the first master with it.
std::string listed(const std::set<std::string>& reasons) {
  std::vector<std::pair<std::string, std::string>> masters_by_reason;
  for (const auto& text : reasons) {
    std::string address{address_in(text)};
    auto why = text.substr(address.empty() ? 0 : address.size() + 2);
    auto same = std::find_if(
        masters_by_reason.begin(), masters_by_reason.end(),
        [&](const auto& x) { return x.second == why && !x.first.empty(); });
    if (address.empty() || same == masters_by_reason.end())
      masters_by_reason.emplace_back(address, why);
    else
      same->first += ", " + address;
  }
  std::string result;
  for (const auto& [masters, why] : masters_by_reason)
    result += (result.empty() ? "" : "; ")
              + (masters.empty() ? "" : masters + ": ") + why;
  return result;
}

} // namespace

void FailedRound::add(const std::string& reason, MasterFailure failure) {
  auto is_refusal = failure != MasterFailure::unreachable;
  (is_refusal ? refusals_ : others_).insert(reason);
  all_untrusted_ = all_untrusted_ && failure == MasterFailure::untrusted;
}

std::string FailedRound::reasons() const {
  auto result = listed(refusals_);
  auto others = listed(others_);
  return result.empty() || others.empty() ? result + others
                                          : result + "; " + others;
}

} // namespace stoker
