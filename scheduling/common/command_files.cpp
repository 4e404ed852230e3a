#include "scheduling/common/command_files.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "messages/printable.hpp"

namespace stoker {

namespace {

bool is_decimal(char x) {
  return x >= '0' && x <= '9';
}

bool is_control(char x) {
  constexpr unsigned char first_printable = 0x20;
  constexpr unsigned char delete_character = 0x7f;
  auto byte = static_cast<unsigned char>(x);
  return byte < first_printable || byte == delete_character;
}

/// Whether a supervisor, or another attempt of a driver, uses this name there.
bool is_taken(std::string_view name) {
  for (std::string_view log : {"stdout", "stderr"})
    if (name == log
        || (name.starts_with(log) && name.substr(log.size()).front() == '.'))
      return true;
  constexpr std::string_view attempt = "attempt-";
  if (name.starts_with(attempt)) {
    auto number = name.substr(attempt.size());
    return std::all_of(number.begin(), number.end(), is_decimal);
  }
  return name == "control.sock" || name == "state.json"
         || name == "state.json.new";
}

Error wrong_name(std::string_view name, const std::string& why) {
  return invalid("a file cannot be called '" + printable(name) + "': " + why);
}

} // namespace

bool is_sha256(std::string_view x) {
  constexpr std::size_t digits = 64;
  return x.size() == digits && std::all_of(x.begin(), x.end(), [](char c) {
           return is_decimal(c) || (c >= 'a' && c <= 'f');
         });
}

Status validate_file_name(std::string_view name) {
  if (name.empty())
    return invalid("a file needs a name");
  if (name.size() > file_name_bytes_max)
    return wrong_name(name.substr(0, 20),
                      "a name has at most "
                          + std::to_string(file_name_bytes_max) + " bytes");
  if (name == "." || name == ".." || name.find('/') != std::string_view::npos)
    return wrong_name(name, "it stands in the program's own directory, so it "
                            "needs a plain name");
  if (std::any_of(name.begin(), name.end(), is_control))
    return wrong_name(name, "a name has no control characters");
  if (is_taken(name))
    return wrong_name(name, "that is the name of something else in the "
                            "program's own directory; give it another one");
  return {};
}

Status validate(const std::vector<CommandFile>& files) {
  if (files.size() > command_files_max)
    return invalid("at most " + std::to_string(command_files_max)
                   + " files go with a command, and there are "
                   + std::to_string(files.size())
                   + "; put them into an archive");
  std::set<std::string_view> names;
  for (const auto& x : files) {
    if (auto valid = validate_file_name(x.name); !valid)
      return valid;
    if (!names.insert(x.name).second)
      return invalid("two files are called '" + x.name
                     + "'; give one another name");
    if (!is_sha256(x.sha256) || x.bytes < 0)
      return invalid("the file '" + x.name + "' needs a sha256 and a size");
  }
  return {};
}

} // namespace stoker
