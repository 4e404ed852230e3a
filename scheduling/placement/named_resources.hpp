#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "messages/named_resources.hpp"
#include "messages/result.hpp"

namespace stoker {

/// The named resources of one worker: which addresses it has, and which are
/// free. Each is given to one holder at a time; the first free ones are taken.
class NamedResources {
public:
  NamedResources() = default;

  /// @pre `validate(all)`
  explicit NamedResources(const ResourceAddresses& all);

  /// How often the amounts can be taken; without any: without limit.
  [[nodiscard]] int times(const ResourceAmounts& amounts) const;

  /// The same with everything free.
  [[nodiscard]] int times_in_all(const ResourceAmounts& amounts) const;

  /// @pre `times(amounts) > 0`
  [[nodiscard]] ResourceAddresses take(const ResourceAmounts& amounts);

  /// Takes just these. Returns whether all of them were free; otherwise takes
  /// none.
  [[nodiscard]] bool take(const ResourceAddresses& addresses);

  /// @pre They were taken.
  void give_back(const ResourceAddresses& addresses);

  [[nodiscard]] ResourceAddresses all() const;
  [[nodiscard]] ResourceAddresses used() const;

  /// The names that the worker has, and whether any of each is free.
  [[nodiscard]] const std::map<std::string, bool>& names() const noexcept {
    return names_;
  }

private:
  struct Kind {
    std::vector<std::string> addresses;

    /// Positions in `addresses`.
    std::set<std::size_t> free;
  };

  std::map<std::string, Kind> kinds_;
  std::map<std::string, bool> names_;
};

/// Whether a worker can have these; if not, what is wrong.
Status validate(const ResourceAddresses& all);

/// Whether an executor or driver can ask for these; if not, what is wrong.
Status validate(const ResourceAmounts& amounts);

} // namespace stoker
