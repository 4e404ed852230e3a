#include "scheduling/tenants/tenants_change.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <type_traits>
#include <vector>

#include <boost/algorithm/string/join.hpp>
#include <boost/describe/enum_to_string.hpp>

namespace stoker {

namespace {

/// What is told of many changes.
constexpr std::size_t changes_told_max = 10;

std::string value_text(bool x) {
  return x ? "true" : "false";
}

std::string value_text(const std::string& x) {
  return x;
}

std::string value_text(std::int64_t x) {
  return std::to_string(x);
}

std::string value_text(int x) {
  return std::to_string(x);
}

std::string value_text(std::chrono::milliseconds x) {
  return std::to_string(x.count()) + "ms";
}

template <class Enum>
requires std::is_enum_v<Enum> std::string value_text(Enum x) {
  std::string result = boost::describe::enum_to_string(x, "?");
  std::replace(result.begin(), result.end(), '_', '-');
  return result;
}

/// The changes of one table of the file.
class TableChanges {
public:
  template <class T>
  TableChanges& compare(const char* key, const T& before, const T& now,
                        const char* unit = "") {
    if (before != now)
      texts_.push_back(std::string{key} + ' ' + with_unit(before, unit) + " to "
                       + with_unit(now, unit));
    return *this;
  }

  void add_to(std::vector<std::string>& out, const std::string& table) const {
    if (!texts_.empty())
      out.push_back(table + ": " + boost::algorithm::join(texts_, ", "));
  }

private:
  template <class T>
  static std::string with_unit(const T& x, const char* unit) {
    return value_text(x) + unit;
  }
  template <class T>
  static std::string with_unit(const std::optional<T>& x, const char* unit) {
    return x ? value_text(*x) + unit : "unset";
  }

  std::vector<std::string> texts_;
};

TableChanges changes_of(const CompanyConfig& a, const CompanyConfig& b) {
  TableChanges result;
  result.compare("cores", a.cores, b.cores)
      .compare("memory", a.memory_mb, b.memory_mb, " MB")
      .compare("max_cores", a.max_cores, b.max_cores)
      .compare("max_memory", a.max_memory_mb, b.max_memory_mb, " MB");
  return result;
}

TableChanges changes_of(const UserConfig& a, const UserConfig& b) {
  TableChanges result;
  result.compare("company", a.company, b.company)
      .compare("max_cores", a.max_cores, b.max_cores)
      .compare("max_memory", a.max_memory_mb, b.max_memory_mb, " MB")
      .compare("max_applications", a.max_applications, b.max_applications);
  return result;
}

TableChanges changes_of_policy(const TenantsConfig& a, const TenantsConfig& b) {
  TableChanges result;
  result.compare("accounting", a.accounting, b.accounting)
      .compare("company_order", a.company_order, b.company_order)
      .compare("usage_half_life", a.usage_half_life, b.usage_half_life)
      .compare("user_order", a.user_order, b.user_order)
      .compare("application_order", a.application_order, b.application_order)
      .compare("priorities", a.priorities, b.priorities)
      .compare("cap_at_purchased", a.cap_at_purchased, b.cap_at_purchased)
      .compare("default_company", a.default_company, b.default_company)
      .compare("default_cores", a.default_request_cores,
               b.default_request_cores)
      .compare("hold_after", a.hold_after, b.hold_after)
      .compare("admit_in_part", a.admit_in_part, b.admit_in_part);
  return result;
}

TableChanges changes_of_executor(const TenantsConfig& a,
                                 const TenantsConfig& b) {
  TableChanges result;
  result.compare("min_cores", a.min_executor_cores, b.min_executor_cores)
      .compare("min_memory", a.min_executor_memory_mb, b.min_executor_memory_mb,
               " MB");
  return result;
}

/// @param kind As "company".
template <class T>
void compare_named(const std::string& kind, const std::vector<T>& before,
                   const std::vector<T>& now, std::vector<std::string>& out) {
  std::map<std::string, const T*> known;
  for (const auto& x : before)
    known[x.name] = &x;
  for (const auto& x : now) {
    auto old = known.extract(x.name);
    if (old.empty())
      out.push_back(kind + ' ' + x.name + ": new");
    else
      changes_of(*old.mapped(), x).add_to(out, kind + ' ' + x.name);
  }
  for (const auto& [name, x] : known)
    out.push_back(kind + ' ' + name + ": removed");
}

} // namespace

std::string describe_change(const TenantsConfig& before,
                            const TenantsConfig& now) {
  std::vector<std::string> changes;
  changes_of_policy(before, now).add_to(changes, "policy");
  changes_of_executor(before, now).add_to(changes, "executor");
  compare_named("company", before.companies, now.companies, changes);
  compare_named("user", before.users, now.users, changes);
  if (changes.size() > changes_told_max) {
    auto more = changes.size() - changes_told_max;
    changes.resize(changes_told_max);
    changes.push_back("and " + std::to_string(more) + " more");
  }
  return boost::algorithm::join(changes, "; ");
}

} // namespace stoker
