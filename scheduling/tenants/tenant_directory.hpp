#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scheduling/tenants/tenant_numbers.hpp"

namespace stoker {

/// Which companies and users there are, and who belongs to whom.
///
/// Invariant: each present company and user has one number, and its name finds
/// it; each present user belongs to a company that exists.
class TenantDirectory {
public:
  /// The company's number; a new one if the name is new.
  CompanyNumber add_company(const std::string& name);

  /// Gives a user a number that nobody has. @pre the name is new
  UserNumber add_user(const std::string& name, CompanyNumber company);

  /// Another user may be given this number then. @pre the user is present
  void forget(UserNumber user);

  [[nodiscard]] std::optional<CompanyNumber>
  find_company(const std::string& name) const;
  [[nodiscard]] std::optional<UserNumber>
  find_user(const std::string& name) const;

  [[nodiscard]] const std::string& name(CompanyNumber company) const {
    return companies_[static_cast<std::size_t>(company)];
  }
  [[nodiscard]] const std::string& name(UserNumber user) const {
    return at(user).name;
  }
  [[nodiscard]] CompanyNumber company_of(UserNumber user) const {
    return at(user).company;
  }
  [[nodiscard]] Member member(UserNumber user) const {
    return {company_of(user), user};
  }
  [[nodiscard]] bool is_present(UserNumber user) const;

  /// All numbers are below. A user's number below may be free.
  [[nodiscard]] std::uint32_t companies() const noexcept {
    return static_cast<std::uint32_t>(companies_.size());
  }
  [[nodiscard]] std::uint32_t users() const noexcept {
    return static_cast<std::uint32_t>(users_.size());
  }

  /// What is wrong, in one line. Looks at everything.
  [[nodiscard]] std::optional<std::string> invariant_violation() const;

private:
  friend struct TenantTestAccess;

  struct User {
    std::string name;
    CompanyNumber company{};
  };

  [[nodiscard]] const User& at(UserNumber user) const {
    return users_[static_cast<std::size_t>(user)];
  }

  std::vector<std::string> companies_;
  std::vector<User> users_;
  std::vector<UserNumber> free_users_;
  std::map<std::string, CompanyNumber> company_numbers_;
  std::map<std::string, UserNumber> user_numbers_;
};

} // namespace stoker
