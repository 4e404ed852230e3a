#pragma once

#include <map>
#include <optional>
#include <string>

#include "messages/resources.hpp"
#include "messages/tenants_view.hpp"
#include "scheduling/tenants/tenant_numbers.hpp"

namespace stoker {

/// The executors for which admitted drivers need room.
class Rooms {
public:
  void add(const Resources& room);

  /// @pre it was added, and not removed since
  void remove(const Resources& room);

  /// The most cores, and the most memory, of any, as far as it is below `most`: other room
  /// can never be had beside a driver.
  [[nodiscard]] Resources largest_below(const Resources& most) const;

  friend bool operator==(const Rooms&, const Rooms&) = default;

private:
  using Counts = std::map<std::int64_t, std::int64_t>;

  /// The number of executors by their cores, and by their memory.
  Counts cores_;
  Counts memory_mb_;
};

/// How much counts for the whole, for each company and for each user, and the
/// companies' caps.
///
/// Invariant: the figures of companies, and those of users, sum up to those of
/// the whole; none is negative; no company's requests are above its cap, except
/// for what was there when the cap was set and has not gone since.
class Occupancy {
public:
  /// Adds a change, which may be negative, to the figures of a user and of all
  /// above.
  void count(Member member, const TenantFigures& change);

  /// Adds an admitted driver that needs room, to its user's and its company's. Does nothing
  /// for 0.
  void add_room(Member member, const Resources& room);
  void remove_room(Member member, const Resources& room);

  /// Accepts what the company has above the cap now.
  void set_cap(CompanyNumber company, Resources cap);

  [[nodiscard]] const TenantFigures& whole() const noexcept {
    return whole_;
  }
  [[nodiscard]] const TenantFigures& of(CompanyNumber company) const {
    return companies_[company].figures;
  }
  [[nodiscard]] const TenantFigures& of(UserNumber user) const {
    return users_[user];
  }
  /// The rooms that admitted drivers need.
  [[nodiscard]] const Rooms& rooms(CompanyNumber company) const {
    return companies_[company].rooms;
  }
  [[nodiscard]] const Rooms& rooms(UserNumber user) const {
    return user_rooms_[user];
  }
  [[nodiscard]] const Resources& cap(CompanyNumber company) const {
    return companies_[company].cap;
  }

  /// Whether the company may have so much more.
  [[nodiscard]] bool fits(CompanyNumber company, const Resources& more) const;

  /// What is wrong, in one line. Looks at everything.
  [[nodiscard]] std::optional<std::string> invariant_violation() const;

private:
  friend struct TenantTestAccess;

  struct Company {
    TenantFigures figures;
    Resources cap{unlimited, unlimited};
    Rooms rooms;

    /// `requested` may be above the cap by so much.
    Resources excess;
  };

  TenantFigures whole_;
  ByNumber<CompanyNumber, Company> companies_;
  ByNumber<UserNumber, TenantFigures> users_;
  ByNumber<UserNumber, Rooms> user_rooms_;
};

} // namespace stoker
