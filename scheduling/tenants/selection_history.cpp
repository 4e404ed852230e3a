#include "scheduling/tenants/selection_history.hpp"

#include <algorithm>

namespace stoker {

void SelectionHistory::set_served(Member member) {
  companies_[member.company] = last_;
  users_[member.user] = last_;
}

void SelectionHistory::restore(CompanyNumber company, Selection served) {
  companies_[company] = served;
  restore_last(served);
}

void SelectionHistory::restore(UserNumber user, Selection served) {
  users_[user] = served;
  restore_last(served);
}

void SelectionHistory::restore_last(Selection served) {
  last_ = std::max(last_, served);
}

std::optional<std::string> SelectionHistory::invariant_violation() const {
  auto is_later = [&](Selection x) { return x > last_; };
  if (std::any_of(companies_.begin(), companies_.end(), is_later))
    return "a company was served later than the last admission";
  if (std::any_of(users_.begin(), users_.end(), is_later))
    return "a user was served later than the last admission";
  return std::nullopt;
}

} // namespace stoker
