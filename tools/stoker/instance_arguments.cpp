#include "tools/stoker/instance_arguments.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "scheduling/common/limits.hpp"

namespace stoker {

namespace {

using Words = std::vector<std::string>;

constexpr const char* in_words = ":::";
constexpr const char* in_file = "::::";

bool is_mark(const std::string& word) {
  return word == in_words || word == in_file;
}

std::string name_of(const std::string& file) {
  return file == "-" ? "standard input" : '\'' + file + '\'';
}

Error too_many(const std::string& file) {
  return {Errc::invalid_request,
          name_of(file) + " has too many arguments: at most "
              + std::to_string(instances_max) + ", and "
              + std::to_string(instance_arguments_bytes_max) + " bytes in all"};
}

Result<Words> lines_of(std::istream& in, const std::string& file) {
  // What is more would be refused later. A line may have no end: it is not read by lines.
  std::string text(instance_arguments_bytes_max + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (in.bad())
    return Error{Errc::failed, name_of(file) + " cannot be read"};
  if (text.size() > instance_arguments_bytes_max)
    return too_many(file);
  Words result;
  std::size_t bytes = 0;
  std::istringstream lines{std::move(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.find('\0') != std::string::npos)
      return invalid(name_of(file) + ": line "
                     + std::to_string(result.size() + 1)
                     + " has a zero byte, which no argument can have");
    bytes += line.size() + 1;
    result.push_back(std::move(line));
    if (bytes > instance_arguments_bytes_max
        || std::ssize(result) > instances_max)
      return too_many(file);
  }
  return result;
}

Result<Words> lines_of_file(const std::string& file,
                            std::istream& standard_input) {
  if (file == "-")
    return lines_of(standard_input, file);
  std::error_code error;
  if (std::filesystem::is_directory(file, error))
    return Error{Errc::failed, name_of(file) + " is a directory"};
  std::ifstream in{file};
  if (!in)
    return Error{Errc::failed,
                 name_of(file) + " cannot be read: " + std::strerror(errno)};
  return lines_of(in, file);
}

} // namespace

bool has_arguments(const Words& words) {
  return std::any_of(words.begin(), words.end(), is_mark);
}

bool has_arguments_of_input(const Words& words) {
  constexpr std::array<const char*, 2> read_here{in_file, "-"};
  return std::search(words.begin(), words.end(), read_here.begin(),
                     read_here.end())
         != words.end();
}

Result<CommandOfInstances> split_arguments(const Words& words,
                                           std::istream& standard_input) {
  auto mark = std::find_if(words.begin(), words.end(), is_mark);
  CommandOfInstances result{{words.begin(), mark}, {}};
  if (mark == words.end())
    return result;
  Words after{mark + 1, words.end()};
  if (std::any_of(after.begin(), after.end(), is_mark))
    return invalid("a command can have one list of arguments, ::: or ::::");
  if (*mark == in_words) {
    result.arguments = std::move(after);
  } else {
    if (after.size() != 1)
      return invalid(":::: needs one file, or - for standard input");
    auto lines = lines_of_file(after.front(), standard_input);
    if (!lines)
      return std::move(lines).error();
    result.arguments = *std::move(lines);
  }
  if (result.arguments->empty())
    return invalid(*mark == in_words ? "::: needs an argument for each instance"
                                     : name_of(words.back()) + " has no lines");
  return result;
}

} // namespace stoker
