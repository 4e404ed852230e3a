#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "messages/descriptions.hpp"

namespace stoker {

/// The words of a command for a program whose own directory is `directory`: a program
/// "./NAME" that is one of the command's files is found there, wherever it starts.
inline std::vector<std::string> words_in(const Command& x,
                                         const std::string& directory) {
  constexpr std::string_view here = "./";
  auto result = x.arguments;
  if (result.empty() || !result.front().starts_with(here))
    return result;
  auto& program = result.front();
  auto is_program = [name = std::string_view{program}.substr(here.size())](
                        const CommandFile& y) { return y.name == name; };
  if (std::any_of(x.files.begin(), x.files.end(), is_program))
    program = directory + program.substr(1);
  return result;
}

} // namespace stoker
