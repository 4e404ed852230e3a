#include "scheduling/planning/queued.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "scheduling/common/format.hpp"

namespace stoker {

namespace {

constexpr std::size_t companies_shown_max = 10;

/// Names the companies before the one at `place`, with the part of their purchase that they
/// occupy.
std::string companies_ahead(const TenantsView& tenants, int place) {
  std::vector<const CompanyView*> ahead;
  for (const auto& x : tenants.companies)
    if (x.place > 0 && x.place < place)
      ahead.push_back(&x);
  std::sort(ahead.begin(), ahead.end(),
            [](const auto* a, const auto* b) { return a->place < b->place; });
  std::string result;
  for (std::size_t i = 0; i < std::min(ahead.size(), companies_shown_max);
       ++i) {
    const auto& x = *ahead[i];
    result += (i > 0               ? ", "
               : ahead.size() == 1 ? "before its company comes "
                                   : "before its company come ")
              + x.name;
    if (x.share)
      result += " (at " + format_percent(*x.share) + " of its purchase)";
  }
  if (ahead.size() > companies_shown_max)
    result += " and " + std::to_string(ahead.size() - companies_shown_max)
              + " more";
  return result;
}

} // namespace

void explain_queued(ExplanationResponse& result, const ClusterState& state,
                    Instant now, ProgramKey key) {
  const auto& place = *result.place;
  const auto& tenants = *state.admission.tenants();
  auto why = tenants.why_queued(key);
  result.blocker = why.is_limit ? Blocker::cap : Blocker::queue;
  result.remedy = why.remedy;
  result.reasons.push_back(
      "it is number " + std::to_string(place.position_in_queue)
      + " in the queue of " + place.user + ", who is number "
      + std::to_string(place.user_place) + " of " + place.company
      + ", which is number " + std::to_string(place.company_place)
      + " of the companies that wait");
  result.reasons.push_back(why.reason);
  if (auto ahead = companies_ahead(tenants.view(now), place.company_place);
      !ahead.empty())
    result.reasons.push_back(ahead);
}

} // namespace stoker
