#include "web/share_history.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "scheduling/tenants/company_of_user.hpp"

namespace stoker {

namespace {

/// Names of lines that are of no company.
constexpr const char* without_companies = "all applications";
constexpr const char* of_further_companies = "(others)";

/// As `ShareHistory::Sample::cores` has it.
constexpr const char* no_company = "";

using Samples = std::vector<ShareHistory::Sample>;

/// How much of the time that is known each has used: cores, added up over all samples.
std::map<std::string, std::int64_t> cores_by_company(const Samples& samples) {
  std::map<std::string, std::int64_t> result;
  for (const auto& sample : samples)
    for (const auto& [company, cores] : sample.cores)
      result[company] += cores;
  return result;
}

/// Those that have used most, in the order in which they are given.
std::vector<std::string>
with_most_use(const std::vector<std::string>& companies, const Samples& samples,
              std::size_t max) {
  auto use = cores_by_company(samples);
  std::vector<std::size_t> places(companies.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  // Of two that have used the same, the first one.
  std::ranges::stable_sort(places, std::greater{},
                           [&](std::size_t i) { return use[companies[i]]; });
  places.resize(std::min(places.size(), max));
  std::ranges::sort(places);
  std::vector<std::string> result;
  for (auto i : places)
    result.push_back(companies[i]);
  return result;
}

ShareHistory::Line line_of(const std::string& company, const Samples& samples) {
  ShareHistory::Line result{company, {}};
  for (const auto& sample : samples) {
    auto found = sample.cores.find(company);
    result.cores.push_back(found == sample.cores.end() ? 0 : found->second);
  }
  return result;
}

/// What has no line of its own.
ShareHistory::Line line_of_others(const std::string& name,
                                  const std::vector<ShareHistory::Line>& shown,
                                  const Samples& samples) {
  ShareHistory::Line result{name, {}};
  for (const auto& sample : samples) {
    int cores = 0;
    for (const auto& [company, used] : sample.cores)
      cores += used;
    for (const auto& line : shown)
      cores -= line.cores[result.cores.size()];
    result.cores.push_back(cores);
  }
  return result;
}

bool is_nothing(const ShareHistory::Line& x) {
  return std::ranges::all_of(x.cores, [](int cores) { return cores == 0; });
}

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
  const auto& tenants = cluster.tables().config()->tenants;
  companies_.clear();
  if (tenants)
    for (const auto& x : tenants->companies)
      companies_.push_back(x.name);
  auto company_of = tenants ? CompanyOfUser{*tenants} : CompanyOfUser{};
  Sample sample{now, {}};
  for (const auto& [number, id] : cluster.index().active_applications())
    if (auto cores = cluster.index().cores_of(id); cores > 0) {
      const auto& app = cluster.tables().applications().at(id);
      sample.cores[company_of.find(app.description.user).value_or(no_company)]
          += cores;
    }
  samples_.push_back(std::move(sample));
  if (samples_.size() <= samples_max)
    return;
  interval_ *= 2;
  std::size_t i = 0;
  std::erase_if(samples_, [&](const Sample&) { return i++ % 2 == 1; });
}

ShareHistory::Lines ShareHistory::lines() const {
  Lines result;
  if (samples_.empty())
    return result;
  auto shown = with_most_use(companies_, samples_, companies_max);
  for (const auto& company : shown)
    result.lines.push_back(line_of(company, samples_));
  result.companies_in_all = companies_.size();
  result.companies_added_up = companies_.size() - shown.size();
  auto others
      = line_of_others(shown.empty() ? without_companies : of_further_companies,
                       result.lines, samples_);
  if (shown.empty() || result.companies_added_up > 0 || !is_nothing(others))
    result.lines.push_back(std::move(others));
  return result;
}

} // namespace stoker
