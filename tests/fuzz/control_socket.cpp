// What is said over the socket of a supervisor.

#include <variant>

#include "process/control_protocol.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace stoker::process;
using stoker::test::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  auto text = stoker::test::text_of(data, size);
  // What is understood can be said again.
  if (auto launch = parse_launch(text))
    require(static_cast<bool>(parse_launch(to_json(*launch))));
  if (auto request = parse_request(text))
    require(parse_request(to_json(*request)).has_value());
  if (auto state = parse_state(text))
    require(parse_state(to_json(*state)).has_value());
  if (auto news = parse_news(text))
    require(
        std::visit([](const auto& x) { return parse_news(to_json(x)); }, *news)
            .has_value());
  return 0;
}
