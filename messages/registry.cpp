// The only translation unit that instantiates CAF's serialization of all
// messages. Expensive to compile, rarely touched.

#include "messages/registry.hpp"

#include <string>
#include <typeindex>

#include <caf/actor_system_config.hpp>
#include <caf/deep_to_string.hpp>

#include "messages/all.hpp"
#include "messages/caf_error.hpp"
#include "messages/serialization.hpp"

namespace stoker {

// A type in parentheses is no type.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define STOKER_INSTANTIATE_INSPECTION(Inspector, Type)                         \
  template typename Inspector::result_type                                     \
  inspect<Inspector, Type, MembersOf<Type>>(Inspector&, Type&);
// NOLINTEND(bugprone-macro-parentheses)
#define STOKER_INSTANTIATE_SERIALIZATION(Type)                                 \
  STOKER_FOR_EACH_INSPECTOR(STOKER_INSTANTIATE_INSPECTION, Type)
STOKER_WIRE_MESSAGES(STOKER_INSTANTIATE_SERIALIZATION)
#undef STOKER_INSTANTIATE_SERIALIZATION
#undef STOKER_INSTANTIATE_INSPECTION

namespace {

/// Says only the context where there is one: it is a sentence for people.
std::string render(std::uint8_t code, caf::atom_value,
                   const caf::message& context) {
  if (context.match_elements<std::string>())
    return context.get_as<std::string>(0);
  std::string name = to_string(static_cast<Errc>(code));
  return context.empty() ? name : name + to_string(context);
}

/// `add_message_type` would also compile and accept streams and vectors of each
/// message, which nobody sends.
void add(caf::actor_system_config& config, std::type_index type,
         const std::string& name, caf::type_erased_value_ptr (*make)()) {
  config.type_names_by_rtti.emplace(type, name);
  config.value_factories_by_name.emplace(name, make);
  config.value_factories_by_rtti.emplace(type, make);
}

} // namespace

void register_messages(caf::actor_system_config& config) {
#define STOKER_REGISTER(Type)                                                  \
  add(config, typeid(Type), "stoker." #Type,                                   \
      &caf::make_type_erased_value<Type>);
  STOKER_WIRE_MESSAGES(STOKER_REGISTER)
  // Typed timers use it, though it never travels.
  STOKER_REGISTER(CheckForWorkerTimeOut)
#undef STOKER_REGISTER
  config.add_error_category(caf::atom("stoker"), render);
}

} // namespace stoker
