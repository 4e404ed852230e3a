#include "scheduling/common/instance_command.hpp"

#include <cstddef>
#include <string_view>
#include <utility>

namespace stoker {

namespace {

constexpr std::string_view place_of_argument = "{}";

/// Returns whether the word has a place.
bool fill_in(std::string& word, const std::string& argument) {
  auto found = false;
  for (auto i = word.find(place_of_argument); i != std::string::npos;
       i = word.find(place_of_argument, i + argument.size())) {
    word.replace(i, place_of_argument.size(), argument);
    found = true;
  }
  return found;
}

} // namespace

std::vector<std::string> with_argument(std::vector<std::string> words,
                                       const std::string& argument) {
  auto found = false;
  for (auto& word : words)
    found = fill_in(word, argument) || found;
  if (!found)
    words.push_back(argument);
  return words;
}

ApplicationDescription of_instance(const ApplicationDescription& x,
                                   std::optional<int> index) {
  auto result = x;
  result.after.clear();
  result.on_end.reset();
  if (!index || !x.instances || x.instances->arguments.empty())
    return result;
  auto arguments = std::exchange(result.instances->arguments, {});
  result.command.arguments
      = with_argument(std::move(result.command.arguments),
                      arguments.at(static_cast<std::size_t>(*index)));
  return result;
}

} // namespace stoker
