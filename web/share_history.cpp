#include "web/share_history.hpp"

#include <algorithm>
#include <set>

#include "scheduling/tenants/company_of_user.hpp"

namespace stoker {

namespace {

/// Names of lines that are of no company.
constexpr const char* without_companies = "all applications";
constexpr const char* of_further_companies = "(others)";

/// To which line of the chart a user's cores belong.
class LineOfUser {
public:
  explicit LineOfUser(const std::optional<ClusterConfig>& config) {
    if (!config || !config->tenants)
      return;
    companies_ = CompanyOfUser{*config->tenants};
    for (const auto& x : config->tenants->companies)
      if (shown_.size() < ShareHistory::companies_max)
        shown_.insert(x.name);
  }

  [[nodiscard]] const std::set<std::string>& shown() const {
    return shown_;
  }

  [[nodiscard]] std::string operator()(const std::string& user) const {
    if (shown_.empty())
      return without_companies;
    auto company = companies_.find(user);
    return company && shown_.contains(*company) ? *company
                                                : of_further_companies;
  }

private:
  CompanyOfUser companies_;
  std::set<std::string> shown_;
};

} // namespace

Duration ShareHistory::wait(Instant now) const {
  return samples_.empty()
             ? Duration{}
             : std::max(Duration{}, samples_.back().at + interval_ - now);
}

void ShareHistory::look(const ClusterCopy& cluster, Instant now) {
  // Of a master that has not led yet: which companies there are is not known.
  if (!cluster.tables().config())
    return;
  LineOfUser line_of{cluster.tables().config()};
  Sample sample{now, {}};
  for (const auto& name : line_of.shown())
    sample.cores[name] = 0;
  if (line_of.shown().empty())
    sample.cores[without_companies] = 0;
  for (const auto& [number, id] : cluster.index().active_applications())
    if (auto cores = cluster.index().cores_of(id); cores > 0)
      sample.cores[line_of(
          cluster.tables().applications().at(id).description.user)]
          += cores;
  samples_.push_back(std::move(sample));
  if (samples_.size() <= samples_max)
    return;
  interval_ *= 2;
  std::size_t i = 0;
  std::erase_if(samples_, [&](const Sample&) { return i++ % 2 == 1; });
}

} // namespace stoker
