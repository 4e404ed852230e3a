#pragma once

// Tells the compiler that CAF's serialization of all messages is compiled once,
// in messages/registry.cpp. Without this every source that sends a message, or
// names an actor that takes one, compiles it again.

#include <caf/deserializer.hpp>
#include <caf/detail/stringification_inspector.hpp>
#include <caf/serializer.hpp>

#include "messages/all.hpp"

namespace stoker {

/// Calls X(Inspector, Type) for all that CAF does with a message.
#define STOKER_FOR_EACH_INSPECTOR(X, Type)                                     \
  X(caf::serializer, Type)                                                     \
  X(caf::deserializer, Type)                                                   \
  X(caf::detail::stringification_inspector, Type)

// A type in parentheses is no type.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define STOKER_DECLARE_INSPECTION(Inspector, Type)                             \
  extern template typename Inspector::result_type                              \
  inspect<Inspector, Type, MembersOf<Type>>(Inspector&, Type&);
// NOLINTEND(bugprone-macro-parentheses)
#define STOKER_DECLARE_SERIALIZATION(Type)                                     \
  STOKER_FOR_EACH_INSPECTOR(STOKER_DECLARE_INSPECTION, Type)
STOKER_WIRE_MESSAGES(STOKER_DECLARE_SERIALIZATION)
#undef STOKER_DECLARE_SERIALIZATION
#undef STOKER_DECLARE_INSPECTION

} // namespace stoker
