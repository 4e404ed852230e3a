#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "scheduling/common/keys.hpp"
#include "scheduling/tenants/tenant_tree.hpp"

namespace stoker {

/// The order in which applications are served, and with tenants drivers, too. Without
/// tenants each is admitted at once; with them, when its company's and its user's turn
/// has come (document 001).
///
/// Invariant: each admitted application has one position, and no two the same.
class Admission {
public:
  /// @pre `!tenants || validate(*tenants)`
  explicit Admission(const std::optional<TenantsConfig>& tenants);

  /// Gives the application the last position.
  QueuePosition admit(AppKey app);

  /// Gives a driver the last position, of both.
  std::uint64_t admit_driver() noexcept {
    return next_++;
  }

  /// A driver has this position again.
  void restore_driver(std::uint64_t position) noexcept;

  /// Gives an application back the position that it had.
  void restore(QueuePosition position);

  void remove(QueuePosition position);

  /// First to last.
  [[nodiscard]] const std::set<QueuePosition>& admitted() const noexcept {
    return admitted_;
  }

  /// The queues of companies and users; null where there are none.
  [[nodiscard]] TenantTree* tenants() noexcept {
    return tenants_ ? &*tenants_ : nullptr;
  }
  [[nodiscard]] const TenantTree* tenants() const noexcept {
    return tenants_ ? &*tenants_ : nullptr;
  }

private:
  std::optional<TenantTree> tenants_;
  std::set<QueuePosition> admitted_;
  std::uint64_t next_ = 0;
};

} // namespace stoker
