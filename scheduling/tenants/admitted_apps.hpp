#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "messages/resources.hpp"
#include "scheduling/common/keys.hpp"
#include "scheduling/tenants/tenant_numbers.hpp"

namespace stoker {

/// An application that was admitted and has not ended.
struct AdmittedApp {
  Member member;
  Selection selection = 0;

  /// What counts for the application, and what it would like to count.
  Resources request;
  Resources wanted;

  /// The size of one executor: requests grow by whole ones.
  Resources unit;
  Resources running;

  /// Whether it could take an executor and waits for room.
  bool waiting = false;
};

/// The admitted applications, and those of them that want more.
///
/// Invariant: an application is among those of its user that grow exactly while its
/// request is not what it wants; `waiting` is how many wait.
class AdmittedApps {
public:
  using Growing = std::set<std::pair<Selection, AppKey>>;

  /// @pre the key is new
  void add(AppKey key, const AdmittedApp& app);

  /// Takes an application out. @pre it is admitted
  AdmittedApp take(AppKey key);

  /// Null: not admitted.
  [[nodiscard]] const AdmittedApp* find(AppKey key) const;

  // Of an application that is admitted.
  void set_request(AppKey key, Resources request);
  void set_wanted(AppKey key, Resources wanted, Resources unit);
  void set_running(AppKey key, Resources running);
  void set_waiting(AppKey key, bool waiting);

  /// How many wait for room.
  [[nodiscard]] std::int64_t waiting() const noexcept {
    return waiting_;
  }

  /// Those of a user that want more than they have, by selection.
  [[nodiscard]] const Growing& growing(UserNumber user) const {
    return growing_[user];
  }

  [[nodiscard]] const std::unordered_map<AppKey, AdmittedApp>&
  apps() const noexcept {
    return apps_;
  }

  /// What is wrong, in one line. Looks at everything.
  [[nodiscard]] std::optional<std::string> invariant_violation() const;

private:
  friend struct TenantTestAccess;

  void refresh_growing(AppKey key, const AdmittedApp& app);

  std::unordered_map<AppKey, AdmittedApp> apps_;
  ByNumber<UserNumber, Growing> growing_;
  std::int64_t waiting_ = 0;
};

} // namespace stoker
