// stoker spark: what daemons and applications of Apache Spark say to a master.

#include <array>
#include <cstddef>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>

#include "messages/printable.hpp"
#include "spark/frame.hpp"
#include "spark/frame_json.hpp"
#include "tools/stoker/command_error.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/json_output.hpp"
#include "tools/stoker/text_file.hpp"

namespace stoker {

namespace {

/// Standard input may be long: no more than of a file is read.
std::string frames_of_input() {
  constexpr std::size_t bytes_max = std::size_t{16} * 1024 * 1024;
  std::string result;
  std::array<char, 64 * 1024> part{};
  while (std::cin && result.size() <= bytes_max) {
    std::cin.read(part.data(), part.size());
    result.append(part.data(), static_cast<std::size_t>(std::cin.gcount()));
  }
  if (std::cin.bad())
    throw CommandError{exit_failure, "cannot read standard input"};
  if (result.size() > bytes_max)
    throw CommandError{exit_failure,
                       "cannot read standard input: it is larger than 16 MB"};
  return result;
}

std::string frames_of(const std::string& file) {
  if (file == "-")
    return frames_of_input();
  auto result = read_text_file(file, "the frames in");
  require_ok(exit_failure, result);
  return std::move(*result);
}

/// Shows one frame after the other. What was shown before an error stays.
void decode(const std::string& file) {
  auto bytes = frames_of(file);
  std::string_view left = bytes;
  auto refuse = [&](std::size_t offset, const std::string& problem) {
    std::cout << std::flush;
    throw CommandError{exit_bad_data, (file == "-" ? "standard input" : file)
                                          + ", the frame at byte "
                                          + std::to_string(offset) + ": "
                                          + printable(problem)};
  };
  if (left.empty())
    refuse(0, "there is none");
  while (!left.empty()) {
    auto offset = bytes.size() - left.size();
    auto frame = spark::take_frame(left);
    if (!frame)
      return refuse(offset, frame.error().message);
    if (!*frame)
      return refuse(offset, "it is not complete");
    auto shown = spark::frame_json(**frame);
    if (!shown)
      return refuse(offset, shown.error().message);
    std::cout << json_line(*shown);
  }
  std::cout << std::flush;
}

void add_decode_command(CLI::App& app) {
  auto file = std::make_shared<std::string>();
  auto* command = app.add_subcommand(
      "decode", "Show frames of Spark's wire protocol, a line of JSON each");
  command->footer(
      "FILE has one frame, or several, one after the other, as they are sent "
      "over a\nTCP connection; '-' is standard input. What a user's "
      "environment "
      "has is shown,\ntoo.\n\n"
      "Ends with 0 when all frames were shown, and with 65 at the first one "
      "that is\ndamaged or none of a master's or a worker's.\n\n"
      "Examples:\n"
      "  stoker spark decode frame.bin\n"
      "  stoker spark decode - < stream.bin | jq .fields");
  command->add_option("FILE", *file, "The file with the frames, or -")
      ->required();
  command->callback([=] { decode(*file); });
}

} // namespace

void add_spark_command(CLI::App& app, CommandContext&) {
  auto* command = app.add_subcommand(
      "spark", "Look at what programs of Apache Spark say to a master");
  command->require_subcommand(1);
  add_decode_command(*command);
}

} // namespace stoker
