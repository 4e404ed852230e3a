#include "scheduling/tenants/tenant_directory.hpp"

#include <cassert>

namespace stoker {

CompanyNumber TenantDirectory::add_company(const std::string& name) {
  auto [i, is_new] = company_numbers_.emplace(name, CompanyNumber{companies()});
  if (is_new)
    companies_.push_back(name);
  return i->second;
}

UserNumber TenantDirectory::add_user(const std::string& name,
                                     CompanyNumber company) {
  UserNumber number{users()};
  if (free_users_.empty()) {
    users_.emplace_back();
  } else {
    number = free_users_.back();
    free_users_.pop_back();
  }
  users_[static_cast<std::size_t>(number)] = {name, company};
  auto is_new = user_numbers_.emplace(name, number).second;
  assert(is_new);
  (void)is_new;
  return number;
}

void TenantDirectory::forget(UserNumber user) {
  assert(is_present(user));
  user_numbers_.erase(name(user));
  users_[static_cast<std::size_t>(user)] = {};
  free_users_.push_back(user);
}

std::optional<CompanyNumber>
TenantDirectory::find_company(const std::string& name) const {
  auto i = company_numbers_.find(name);
  return i == company_numbers_.end() ? std::nullopt : std::optional{i->second};
}

std::optional<UserNumber>
TenantDirectory::find_user(const std::string& name) const {
  auto i = user_numbers_.find(name);
  return i == user_numbers_.end() ? std::nullopt : std::optional{i->second};
}

bool TenantDirectory::is_present(UserNumber user) const {
  // A free number has the empty name, which no user has.
  return find_user(name(user)) == user;
}

std::optional<std::string> TenantDirectory::invariant_violation() const {
  for (std::uint32_t i = 0; i < companies(); ++i)
    if (find_company(companies_[i]) != CompanyNumber{i})
      return "company " + companies_[i] + " is not found by its name";
  if (company_numbers_.size() != companies_.size())
    return "the directory names a company that does not exist";
  for (const auto& [name, number] : user_numbers_) {
    if (static_cast<std::size_t>(number) >= users_.size()
        || at(number).name != name)
      return "user " + name + " is not found by this name";
    if (static_cast<std::size_t>(at(number).company) >= companies_.size())
      return "user " + name + " belongs to a company that does not exist";
  }
  for (auto number : free_users_)
    if (static_cast<std::size_t>(number) >= users_.size() || is_present(number))
      return "a user's number is free and in use";
  if (user_numbers_.size() + free_users_.size() != users_.size())
    return "a user's number is neither free nor in use";
  return std::nullopt;
}

} // namespace stoker
