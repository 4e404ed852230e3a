#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "scheduling/common/keys.hpp"
#include "scheduling/tenants/tenant_numbers.hpp"

namespace stoker {

/// Orders companies: the smallest is asked first.
struct CompanyRank {
  double share = 0;
  Selection selected = 0;
  CompanyNumber number{};

  friend auto operator<=>(const CompanyRank&, const CompanyRank&) = default;
};

/// Orders the users of a company. The order `longest_waiting` leaves share and
/// demand at 0.
struct UserRank {
  double share = 0;
  Selection selected = 0;
  double demand = 0;
  UserNumber number{};

  friend auto operator<=>(const UserRank&, const UserRank&) = default;
};

/// An application that was passed over too often: no other of its company goes
/// before it.
struct HeldFor {
  UserNumber user{};
  ProgramKey key{};

  friend bool operator==(const HeldFor&, const HeldFor&) = default;
};

/// Who could be served, and in which order. The ranks are the caller's.
///
/// A user is ready while the next application fits under the user's limits, and grows
/// while an admitted application that wants more may have it under these limits. A user
/// is driven while the application with which the user is ready, or one that grows from
/// nothing, has a driver that runs. A
/// company is stuck while nothing of a user who is ready or grows fits under its cap, or
/// is to hold it, and nothing has changed since that was found. It is open, and has
/// a place in the order, while a user is ready or grows and it is not stuck.
///
/// Invariant: each ready, growing or driven user and each open company has one place of its
/// kind, at its rank; a company is held only for a user of it who is ready.
class ServingOrder {
public:
  /// What a user has a place for, besides applications that wait.
  struct UserPlaces {
    std::optional<UserRank> ready;
    std::optional<UserRank> growing;
    std::optional<UserRank> driven;
  };

  /// Gives a user these places. The company's place is right after `refresh`.
  void set_user(Member member, const UserPlaces& places);

  void set_stuck(CompanyNumber company, bool stuck) {
    companies_[company].stuck = stuck;
  }

  /// Gives a company this place if it is open, and none otherwise.
  void refresh(CompanyNumber company, const CompanyRank& rank);

  /// Gives all users of a company, or all companies, that have a place the one
  /// of `rank(number)`. Looks at all of them.
  template <class F>
  void rerank_users(CompanyNumber company, F&& rank) {
    auto again = [&](std::set<UserRank>& ranks, auto place) {
      for (const auto& x : std::exchange(ranks, {})) {
        auto now = rank(x.number);
        users_[x.number].*place = now;
        ranks.insert(now);
      }
    };
    again(companies_[company].ready, &UserPlaces::ready);
    again(companies_[company].growing, &UserPlaces::growing);
    again(companies_[company].driven, &UserPlaces::driven);
  }
  template <class F>
  void rerank_companies(F&& rank) {
    for (const auto& x : std::exchange(open_, {})) {
      auto& place = companies_[x.number].rank;
      place = rank(x.number);
      open_.insert(*place);
    }
  }

  /// @pre the user is ready
  void hold(CompanyNumber company, HeldFor program) {
    companies_[company].held_for = program;
  }
  void release(CompanyNumber company) {
    companies_[company].held_for.reset();
  }

  /// Open companies.
  [[nodiscard]] const std::set<CompanyRank>& open() const noexcept {
    return open_;
  }
  /// A company's ready users.
  [[nodiscard]] const std::set<UserRank>& ready(CompanyNumber company) const {
    return companies_[company].ready;
  }
  /// A company's users who grow.
  [[nodiscard]] const std::set<UserRank>& growing(CompanyNumber company) const {
    return companies_[company].growing;
  }
  /// A company's users who are driven.
  [[nodiscard]] const std::set<UserRank>& driven(CompanyNumber company) const {
    return companies_[company].driven;
  }
  /// The places of those that have one.
  [[nodiscard]] const std::optional<CompanyRank>&
  rank(CompanyNumber company) const {
    return companies_[company].rank;
  }
  [[nodiscard]] const UserPlaces& places(UserNumber user) const {
    return users_[user];
  }
  [[nodiscard]] const std::optional<HeldFor>&
  held_for(CompanyNumber company) const {
    return companies_[company].held_for;
  }
  [[nodiscard]] bool is_stuck(CompanyNumber company) const {
    return companies_[company].stuck;
  }

  /// What is wrong, in one line. Looks at everything.
  [[nodiscard]] std::optional<std::string> invariant_violation() const;

private:
  friend struct TenantTestAccess;

  struct Company {
    std::set<UserRank> ready;
    std::set<UserRank> growing;
    std::set<UserRank> driven;
    std::optional<HeldFor> held_for;
    bool stuck = false;
    std::optional<CompanyRank> rank;

    [[nodiscard]] bool is_open() const noexcept {
      return !(ready.empty() && growing.empty()) && !stuck;
    }
  };

  [[nodiscard]] std::optional<std::string> violation_by_users() const;

  ByNumber<UserNumber, UserPlaces> users_;
  ByNumber<CompanyNumber, Company> companies_;
  std::set<CompanyRank> open_;
};

} // namespace stoker
