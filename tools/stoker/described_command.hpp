#pragma once

// What `--help` knows of a command, as data: manual pages and completions are made of it,
// so that none of them says anything else.

#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace stoker {

/// What the value of an option or an operand is.
enum class ValueKind {
  none, ///< It takes no value.
  text,
  file,
  directory,
  choice,  ///< One of `DescribedValue::choices`.
  choices, ///< Several of them, with commas between.
  application,
  live_application, ///< One that has not ended.
  worker,
  id,        ///< Of an application or a driver.
  live_id,   ///< Of one that has not ended, or of such an executor.
  output_id, ///< Of one that may have written something, or of such an executor.
  variable,  ///< The name of an environment variable.
  shown,     ///< What `stoker status` may be asked for.
  command    ///< A word of a command of this program.
};

struct DescribedValue {
  /// As help writes it: "FILE", "NAME=VALUE". Empty: there is none.
  std::string name;
  ValueKind kind = ValueKind::none;
  std::vector<std::string> choices;
};

struct DescribedOption {
  /// With their dashes, short ones first. Of an operand: none.
  std::vector<std::string> names;
  DescribedValue value;
  std::string description;
  std::string default_value;

  /// The environment variable that stands for it.
  std::string variable;
  bool required = false;
  bool repeated = false;
};

struct DescribedCommand {
  /// All its words: "stoker data show".
  std::string name;
  std::string description;

  /// As in "stoker run [OPTIONS] [--] COMMAND [ARGUMENT...]".
  std::string usage;
  std::string footer;
  std::vector<DescribedOption> options;
  std::vector<DescribedOption> operands;
  std::vector<DescribedCommand> commands;

  /// Whether a program and its arguments end it.
  bool takes_program = false;
};

/// The last of its words: "show".
std::string last_word(const DescribedCommand& command);

/// Describes a program and all its commands.
DescribedCommand describe(const CLI::App& program);

/// Puts `general` in the place of a default that begins with `found`: what is true of
/// this machine and user alone does not belong into a page that others read.
void generalise_defaults(DescribedCommand& command, const std::string& found,
                         const std::string& general);

} // namespace stoker
