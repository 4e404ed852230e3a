#pragma once

// --file PATH[:NAME] of `stoker run` and `stoker submit`: files of this machine that go with
// the command.

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "messages/descriptions.hpp"
#include "messages/files.hpp"
#include "messages/result.hpp"

namespace stoker {

/// A file here, and its name there.
struct NamedPath {
  std::string path;
  std::string name;
};

/// What PATH[:NAME] means: NAME is what follows the last ':', unless that has a '/'.
[[nodiscard]] NamedPath parse_named_path(const std::string& text);

void add_file_option(CLI::App& app, std::vector<std::string>& target);

/// Reads them. @throws CommandError for one that cannot go with a command
std::vector<CommandFile> describe_files(const std::vector<std::string>& words);

/// Whether the first word of a command is one of the files: NAME or ./NAME.
[[nodiscard]] bool names_file_of(const std::string& program,
                                 const std::vector<CommandFile>& files);

/// Puts a piece to a master.
using StorePart
    = std::function<Result<StoreFileResponse>(const StoreFilePart&)>;

/// Sends what the master has not got. A terminal is shown how far that is.
/// @param words What `files` was made of
/// @throws CommandError
void send_files(const std::vector<std::string>& words,
                const std::vector<CommandFile>& files, const StorePart& store,
                bool is_quiet = false);

} // namespace stoker
