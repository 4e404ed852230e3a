#include "web/share_history.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "scheduling/tenants/company_of_user.hpp"

namespace stoker {

namespace {

/// Names of lines that are of no company.
constexpr const char* without_companies = "all applications";
constexpr const char* of_further_companies = "(others)";

using CompanyNumber = ShareHistory::CompanyNumber;
using Samples = std::vector<ShareHistory::Sample>;

/// Leaves those that use most.
void keep_largest(std::map<CompanyNumber, int>& cores, std::size_t max) {
  if (cores.size() <= max)
    return;
  std::vector<std::pair<int, CompanyNumber>> largest;
  for (const auto& [company, used] : cores)
    largest.emplace_back(used, company);
  std::ranges::nth_element(largest,
                           largest.begin() + static_cast<std::ptrdiff_t>(max),
                           std::greater{});
  for (std::size_t i = max; i < largest.size(); ++i)
    cores.erase(largest[i].second);
}

/// Places of those that have used most, in order.
/// @param companies each as a number
/// @param count how many numbers there are
std::vector<std::size_t>
with_most_use(const std::vector<CompanyNumber>& companies, std::size_t count,
              const Samples& samples, std::size_t max) {
  // How much of the time that is known each has used: cores, added up over all samples.
  std::vector<std::int64_t> use(count);
  for (const auto& sample : samples)
    for (const auto& [company, cores] : sample.by_company)
      use[company] += cores;
  std::vector<std::size_t> result(companies.size());
  std::iota(result.begin(), result.end(), std::size_t{0});
  // Of two that have used the same, the first one.
  std::ranges::stable_sort(result, std::greater{},
                           [&](std::size_t i) { return use[companies[i]]; });
  result.resize(std::min(result.size(), max));
  std::ranges::sort(result);
  return result;
}

std::vector<int> cores_of(CompanyNumber company, const Samples& samples) {
  std::vector<int> result;
  for (const auto& sample : samples) {
    auto found = sample.by_company.find(company);
    result.push_back(found == sample.by_company.end() ? 0 : found->second);
  }
  return result;
}

/// What has no line of its own.
ShareHistory::Line line_of_others(const std::string& name,
                                  const std::vector<ShareHistory::Line>& shown,
                                  const Samples& samples) {
  ShareHistory::Line result{name, {}};
  for (const auto& sample : samples) {
    auto cores = sample.cores;
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
  for (const auto& company : companies_)
    (void)number_of(company);
  auto company_of = tenants ? CompanyOfUser{*tenants} : CompanyOfUser{};
  Sample sample{now, 0, {}};
  for (const auto& [number, id] : cluster.index().active_applications())
    if (auto cores = cluster.index().cores_of(id); cores > 0) {
      sample.cores += cores;
      const auto& app = cluster.tables().applications().at(id);
      if (auto company = company_of.find(app.description.user))
        sample.by_company[number_of(*company)] += cores;
    }
  keep_largest(sample.by_company, companies_told_apart_max);
  samples_.push_back(std::move(sample));
  if (samples_.size() > samples_max) {
    interval_ *= 2;
    std::size_t i = 0;
    std::erase_if(samples_, [&](const Sample&) { return i++ % 2 == 1; });
  }
  lines_ = make_lines();
}

ShareHistory::CompanyNumber
ShareHistory::number_of(const std::string& company) {
  auto next = static_cast<CompanyNumber>(numbers_.size());
  return numbers_.try_emplace(company, next).first->second;
}

ShareHistory::Lines ShareHistory::make_lines() const {
  Lines result;
  std::vector<CompanyNumber> numbers;
  for (const auto& company : companies_)
    numbers.push_back(numbers_.at(company));
  auto shown = with_most_use(numbers, numbers_.size(), samples_, companies_max);
  for (auto i : shown)
    result.lines.push_back({companies_[i], cores_of(numbers[i], samples_)});
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
