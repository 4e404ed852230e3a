#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe.hpp>

#include "messages/result.hpp"

namespace stoker {

// What an administrator says of the versions of drivers that do not say it themselves.

/// By what a rule knows a driver.
enum class VersionSubject { user, company, app };
BOOST_DESCRIBE_ENUM(VersionSubject, user, company, app)

struct VersionRule {
  VersionSubject subject = VersionSubject::user;

  /// Of glob(7): all such names.
  std::string pattern;

  /// As "3.4.4".
  std::string version;
};

/// As it is written: "user:ann=3.4.4".
std::string to_string(const VersionRule& x);

/// Reads a rule, and leaves out spaces around it. Fails with `Errc::invalid_request`, and
/// says what a rule looks like.
Result<VersionRule> parse_version_rule(std::string_view text);

/// What rules know of a driver.
struct DriverNames {
  std::string user;

  /// Empty: the user has none.
  std::string company;

  std::string app;
};

/// Whether any of them is about companies.
bool name_companies(const std::vector<VersionRule>& rules);

/// The version that is taken for a driver that does not say it.
struct AssumedVersion {
  std::string version;

  /// As "as the rule user:ann=3.4.4 says".
  std::string why;

  /// Whether a rule says it.
  bool is_by_rule = false;

  /// Rules about the driver that do not count, as its messages look otherwise.
  std::vector<VersionRule> ignored;
};

/// By the first rule about it whose version is one that its messages agree with, or another
/// patch level of one, as messages do not tell these apart; without such a rule the newest
/// that they agree with.
/// @param versions those that they agree with, the newest first @pre not empty
AssumedVersion assume_version(const std::vector<VersionRule>& rules,
                              const DriverNames& driver,
                              const std::vector<std::string>& versions);

/// Says in the log which rules do not count.
/// @param shown the driver
void log_ignored_rules(const AssumedVersion& x, const std::string& shown,
                       const std::vector<std::string>& versions);

/// "3.5.9 and 3.4.4"
std::string listed(const std::vector<std::string>& versions);

} // namespace stoker
