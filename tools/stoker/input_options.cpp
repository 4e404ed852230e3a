#include "tools/stoker/input_options.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include <CLI/Validators.hpp>

#include "tools/stoker/command_error.hpp"
#include "tools/stoker/exit_codes.hpp"
#include "tools/stoker/options.hpp"

namespace stoker {

InstanceInput InputOptions::instances() const {
  if (readers.empty())
    return InstanceInput::NONE;
  return readers == "all" ? InstanceInput::ALL : InstanceInput::ONE;
}

bool InputOptions::reads_terminal() const {
  struct stat in {};
  struct stat err {};
  return !readers.empty() && ::isatty(STDIN_FILENO) == 1
         && ::isatty(STDERR_FILENO) == 1 && ::fstat(STDIN_FILENO, &in) == 0
         && ::fstat(STDERR_FILENO, &err) == 0 && in.st_rdev == err.st_rdev;
}

void add_input_option(CLI::App& command, InputOptions& options) {
  command
      .add_option("--stdin", options.readers,
                  "Who reads standard input: 'one', the instance with index 0, "
                  "or 'all', each the whole of it, and again from the start "
                  "when it is started again (default: nobody; theirs is empty)")
      ->check(word_of({"one", "all"}));
}

std::unique_ptr<SeekableInput>
open_standard_input(const InputOptions& options) {
  if (options.readers.empty())
    return nullptr;
  auto opened = open_seekable_input(STDIN_FILENO, temporary_directory());
  require_ok(exit_failure, opened);
  return *std::move(opened);
}

} // namespace stoker
