#pragma once

#include <type_traits>
#include <variant>

#include "scheduling/registration/master_link.hpp"

namespace stoker::test {

/// The connection between a MasterLink and a master, as a test plays it: gives
/// events and messages the number of the present connection.
class PlayedConnection {
public:
  /// Remembers which connection is asked for.
  template <class Effects>
  const Effects& note(const Effects& effects) {
    for (const auto& effect : effects)
      if (const auto* x = std::get_if<ConnectToMaster>(&effect))
        number_ = x->connection;
    return effects;
  }

  /// `event`, of the present connection.
  template <class Event>
  [[nodiscard]] Event of_present(Event event) const {
    std::visit(
        [this](auto& x) {
          if constexpr (requires { x.connection; })
            x.connection = number_;
        },
        event);
    return event;
  }

  [[nodiscard]] MessageOrigin origin(LeaderEpoch epoch = {}) const {
    return {number_, epoch};
  }

private:
  ConnectionNumber number_ = 0;
};

} // namespace stoker::test
