#include "gateway/version_rules.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <cassert>

#include <boost/describe/enum_from_string.hpp>
#include <boost/describe/enum_to_string.hpp>

#include <spdlog/spdlog.h>

#include "gateway/agreed_versions.hpp"
#include "scheduling/common/spark_release.hpp"

namespace stoker {

namespace {

Error no_rule(std::string_view text) {
  return invalid("'" + std::string{text}
                 + "' is no rule; one looks like user:ann=3.4.4, "
                   "company:NAME=4.0.5 or app:NIGHTLY*=3.5.9");
}

const std::string& asked_name(VersionSubject subject,
                              const DriverNames& driver) {
  switch (subject) {
  case VersionSubject::user:
    return driver.user;
  case VersionSubject::company:
    return driver.company;
  case VersionSubject::app:
    break;
  }
  return driver.app;
}

bool is_about(const VersionRule& rule, const DriverNames& driver) {
  const auto& name = asked_name(rule.subject, driver);
  // Who has no company is not of every company.
  return (rule.subject != VersionSubject::company || !name.empty())
         && ::fnmatch(rule.pattern.c_str(), name.c_str(), 0) == 0;
}

/// Why the newest is taken where nobody has said anything.
std::string why_newest(const std::vector<std::string>& versions) {
  if (versions.size() == 1)
    return "as its messages say";
  return "but " + listed({versions.begin() + 1, versions.end()})
         + " look the same: spark.executorEnv." + version_variable
         + " would say which";
}

} // namespace

std::string to_string(const VersionRule& x) {
  return std::string{boost::describe::enum_to_string(x.subject, "")} + ':'
         + x.pattern + '=' + x.version;
}

Result<VersionRule> parse_version_rule(std::string_view text) {
  // Lists have spaces behind their commas.
  while (text.starts_with(' '))
    text.remove_prefix(1);
  while (text.ends_with(' '))
    text.remove_suffix(1);
  auto colon = text.find(':');
  auto equals = text.rfind('=');
  if (colon == std::string_view::npos || equals == std::string_view::npos
      || equals <= colon + 1)
    return no_rule(text);
  VersionRule result;
  result.pattern = text.substr(colon + 1, equals - colon - 1);
  result.version = text.substr(equals + 1);
  std::string subject{text.substr(0, colon)};
  if (!boost::describe::enum_from_string(subject.c_str(), result.subject)
      || !spark_release_of(result.version))
    return no_rule(text);
  return result;
}

bool name_companies(const std::vector<VersionRule>& rules) {
  return std::any_of(rules.begin(), rules.end(), [](const auto& x) {
    return x.subject == VersionSubject::company;
  });
}

AssumedVersion assume_version(const std::vector<VersionRule>& rules,
                              const DriverNames& driver,
                              const std::vector<std::string>& versions) {
  assert(!versions.empty());
  AssumedVersion result;
  for (const auto& rule : rules) {
    if (!is_about(rule, driver))
      continue;
    if (is_of_these(rule.version, versions)) {
      result.version = rule.version;
      result.is_by_rule = true;
      result.why = "as the rule " + to_string(rule) + " says";
      return result;
    }
    result.ignored.push_back(rule);
  }
  result.version = versions.front();
  result.why = why_newest(versions);
  return result;
}

void log_ignored_rules(const AssumedVersion& x, const std::string& shown,
                       const std::vector<std::string>& versions) {
  for (const auto& rule : x.ignored)
    spdlog::warn("[spark-version-rule] the rule {} does not count for {}: its "
                 "messages are those of {}",
                 to_string(rule), shown, listed(versions));
}

std::string listed(const std::vector<std::string>& versions) {
  std::string result;
  for (const auto& x : versions)
    result += (result.empty() ? "" : " and ") + x;
  return result;
}

} // namespace stoker
