#include "tools/stoker/file_options.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <optional>
#include <set>
#include <utility>

#include "messages/printable.hpp"
#include "process/unique_fd.hpp"
#include "scheduling/common/command_files.hpp"
#include "storage/sha256.hpp"
#include "tools/stoker/command_error.hpp"

namespace stoker {

namespace {

/// As much as a master takes.
constexpr std::size_t piece_bytes = std::size_t{1} << 20;

/// Of less than this nobody has to be shown how far it is.
constexpr std::int64_t shown_from = std::int64_t{4} << 20;

CommandError wrong_file(const std::string& text, const std::string& why) {
  return {exit_usage, "--file: " + text + ": " + why};
}

/// A file of another name may have been meant.
std::string hint_for(const NamedPath& x, const std::string& text) {
  std::error_code error;
  return x.path != text && std::filesystem::exists(text, error)
             ? "; for a path with ':' in it, add a name: " + text + ":NAME"
             : std::string{};
}

process::UniqueFd open_file(const NamedPath& x, const std::string& text) {
  // A pipe would be waited for.
  process::UniqueFd result{
      ::open(x.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!result)
    throw wrong_file(x.path, std::strerror(errno) + hint_for(x, text));
  return result;
}

CommandFile describe_file(const std::string& text) {
  auto named = parse_named_path(text);
  if (auto valid = validate_file_name(named.name); !valid)
    throw wrong_file(text, valid.error().message);
  auto fd = open_file(named, text);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0)
    throw wrong_file(named.path, std::strerror(errno));
  if (!S_ISREG(status.st_mode))
    throw wrong_file(named.path, "it is not a regular file"
                                     + std::string{S_ISDIR(status.st_mode)
                                                       ? "; put a directory "
                                                         "into an archive"
                                                       : ""});
  CommandFile result;
  result.name = std::move(named.name);
  result.executable = (status.st_mode & S_IXUSR) != 0;
  result.sha256 = sha256_of_file(fd.get());
  if (result.sha256.empty())
    throw wrong_file(named.path, std::strerror(errno));
  // As far as the sum was made of it.
  result.bytes = ::lseek(fd.get(), 0, SEEK_CUR);
  return result;
}

/// How much is sent, in one line of a terminal that is written over.
class SendProgress {
public:
  SendProgress(std::int64_t bytes, bool is_quiet)
      : bytes_(bytes), is_shown_(!is_quiet && bytes >= shown_from
                                 && ::isatty(STDERR_FILENO) == 1) {
  }

  ~SendProgress() {
    if (was_shown_)
      std::cerr << "\r\033[K" << std::flush;
  }

  SendProgress(const SendProgress&) = delete;
  SendProgress& operator=(const SendProgress&) = delete;

  void show(const std::string& name, std::int64_t sent) {
    constexpr std::chrono::milliseconds shown_every{200};
    constexpr int whole = 100;
    auto now = std::chrono::steady_clock::now();
    if (!is_shown_ || now < last_ + shown_every)
      return;
    last_ = now;
    was_shown_ = true;
    std::cerr << "\rstoker: sending " << printable(name) << ": "
              << sent * whole / bytes_ << "% of " << (bytes_ >> 20)
              << " MB\033[K" << std::flush;
  }

private:
  std::int64_t bytes_;
  bool is_shown_;
  bool was_shown_ = false;
  std::chrono::steady_clock::time_point last_;
};

/// A file that the master has not got.
class Sending {
public:
  Sending(std::string text, const CommandFile& file, const StorePart& store)
      : text_(std::move(text)), file_(file), store_(store) {
  }

  /// How much the master has.
  std::int64_t ask() {
    return put(0, {});
  }

  /// Sends the rest.
  void send(std::int64_t stored,
            const std::function<void(std::int64_t)>& on_progress) {
    auto named = parse_named_path(text_);
    auto fd = open_file(named, text_);
    auto in_vain = 0;
    while (stored < file_.bytes) {
      auto next = put(stored, read_piece(fd.get(), stored));
      // Another master may have less of it.
      in_vain = next > stored ? 0 : in_vain + 1;
      if (in_vain > tries_max)
        throw CommandError{exit_failure, "cannot send " + named.path
                                             + ": the master takes no more"};
      stored = next;
      on_progress(stored);
    }
  }

private:
  static constexpr int tries_max = 5;

  std::int64_t put(std::int64_t offset, std::string data) {
    StoreFilePart part{file_.sha256, file_.bytes, offset, std::move(data)};
    auto answer = store_(part);
    // Of a connection that breaks nobody tells whoever waits for an answer.
    for (int i = 0; i < tries_max && answer.code() == Errc::no_answer; ++i)
      answer = store_(part);
    if (!answer)
      throw CommandError{answer.error()};
    if (answer->problem)
      throw CommandError{exit_failure,
                         "cannot send " + path() + ": " + *answer->problem};
    return answer->stored;
  }

  std::string read_piece(int fd, std::int64_t offset) {
    std::string result(
        std::min(piece_bytes, static_cast<std::size_t>(file_.bytes - offset)),
        '\0');
    auto n = ::pread(fd, result.data(), result.size(), offset);
    if (n <= 0)
      throw CommandError{exit_failure,
                         "cannot send " + path() + ": "
                             + (n < 0 ? std::strerror(errno)
                                      : "it has become shorter meanwhile")};
    result.resize(static_cast<std::size_t>(n));
    return result;
  }

  [[nodiscard]] std::string path() const {
    return parse_named_path(text_).path;
  }

  std::string text_;
  const CommandFile& file_;
  const StorePart& store_;
};

} // namespace

NamedPath parse_named_path(const std::string& text) {
  auto colon = text.rfind(':');
  if (colon != std::string::npos && text.find('/', colon) == std::string::npos)
    return {text.substr(0, colon), text.substr(colon + 1)};
  return {text, std::filesystem::path{text}.filename().string()};
}

void add_file_option(CLI::App& app, std::vector<std::string>& target) {
  app.add_option("--file", target,
                 "Send a file along: it stands in the program's own directory, "
                 "where the program then starts; may be repeated")
      ->type_name("PATH[:NAME]")
      ->allow_extra_args(false);
}

std::vector<CommandFile> describe_files(const std::vector<std::string>& words) {
  std::vector<CommandFile> result;
  for (const auto& text : words)
    result.push_back(describe_file(text));
  if (auto valid = validate(result); !valid)
    throw CommandError{exit_usage, "--file: " + valid.error().message};
  return result;
}

bool names_file_of(const std::string& program,
                   const std::vector<CommandFile>& files) {
  return std::any_of(files.begin(), files.end(), [&](const auto& x) {
    return program == x.name || program == "./" + x.name;
  });
}

void send_files(const std::vector<std::string>& words,
                const std::vector<CommandFile>& files, const StorePart& store,
                bool is_quiet) {
  struct Rest {
    std::size_t file = 0;
    std::int64_t stored = 0;
  };
  std::vector<Rest> rests;
  std::set<std::string> asked;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!asked.insert(files[i].sha256).second)
      continue;
    auto stored = Sending{words.at(i), files[i], store}.ask();
    if (stored == files[i].bytes)
      continue;
    rests.push_back({i, stored});
    bytes += files[i].bytes - stored;
  }
  SendProgress progress{bytes, is_quiet};
  std::int64_t sent = 0;
  for (const auto& rest : rests) {
    const auto& file = files[rest.file];
    Sending{words.at(rest.file), file, store}.send(
        rest.stored, [&](std::int64_t now) {
          progress.show(file.name, sent + now - rest.stored);
        });
    sent += file.bytes - rest.stored;
  }
}

} // namespace stoker
