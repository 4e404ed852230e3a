// The only translation unit that instantiates CAF's serialization of all
// messages. Expensive to compile, rarely touched.

#include "messages/registry.hpp"

#include <string>

#include <caf/actor_system_config.hpp>
#include <caf/deep_to_string.hpp>

#include "messages/all.hpp"
#include "messages/caf_error.hpp"

namespace stoker {

namespace {

/// Says only the context where there is one: it is a sentence for people.
std::string render(std::uint8_t code, caf::atom_value,
                   const caf::message& context) {
  if (context.match_elements<std::string>())
    return context.get_as<std::string>(0);
  std::string name = to_string(static_cast<Errc>(code));
  return context.empty() ? name : name + to_string(context);
}

} // namespace

void register_messages(caf::actor_system_config& config) {
#define STOKER_REGISTER(Type) config.add_message_type<Type>("stoker." #Type);
  STOKER_WIRE_MESSAGES(STOKER_REGISTER)
#undef STOKER_REGISTER
  // Typed timers use it, though it never travels.
  config.add_message_type<CheckForWorkerTimeOut>(
      "stoker.CheckForWorkerTimeOut");
  config.add_error_category(caf::atom("stoker"), render);
}

} // namespace stoker
