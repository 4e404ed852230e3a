#pragma once

#include "messages/descriptions.hpp"

namespace stoker {

/// Whether an instance reads what its application writes to it.
inline bool reads_input(const Instances& instances, int index) {
  switch (instances.input) {
  case InstanceInput::NONE:
    break;
  case InstanceInput::ONE:
    return index == 0;
  case InstanceInput::ALL:
    return true;
  }
  return false;
}

} // namespace stoker
