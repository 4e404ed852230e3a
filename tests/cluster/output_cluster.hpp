#pragma once

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"

namespace stoker::test {

/// A command that writes so many bytes: lines of 10, all different.
inline std::string write_lines(std::int64_t bytes) {
  constexpr std::int64_t first = 100'000'000;
  return "seq " + std::to_string(first) + ' '
         + std::to_string(first + bytes / 10 - 1);
}

/// One worker whose programs may be ahead of their readers by 4 MB.
inline const std::vector<std::string> small_logs{
    "--conf", "spark.executor.logs.rolling.maxSize=1m", "--conf",
    "spark.executor.logs.rolling.maxRetainedFiles=4"};

inline std::vector<std::string>
with_small_logs(std::vector<std::string> words) {
  words.insert(words.end(), small_logs.begin(), small_logs.end());
  return words;
}

struct OutputCluster : Cluster {
  /// Bytes in all logs below the work directories.
  [[nodiscard]] std::uintmax_t bytes_on_disk() const {
    std::uintmax_t result = 0;
    std::error_code error;
    for (const auto& place : {"data/work", "work-1", "work-2", "work"})
      for (std::filesystem::recursive_directory_iterator i{path(place), error},
           end;
           !error && i != end; i.increment(error))
        if (i->path().filename().string().starts_with("std")
            && i->is_regular_file(error) && !i->is_symlink(error)) {
          auto size = i->file_size(error);
          result += error ? 0 : size;
        }
    return result;
  }

  /// Waits until programs can write no more than `bytes` before they are read.
  void await_full_logs(std::uintmax_t bytes) {
    INFO(bytes_on_disk());
    REQUIRE(eventually([&] { return bytes_on_disk() >= bytes; }));
  }

  /// Starts `stoker` with its standard output in a pipe, which nobody reads
  /// before `read` is called.
  Process& start_piped(const std::vector<std::string>& words) {
    auto pipe = path("pipe");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    reader_ = &start({"sh", "-c",
                      "exec < '" + pipe
                          + "'; until [ -e read ]; do sleep 0.05; "
                            "done; md5sum"});
    std::vector<std::string> all{"sh", "-c", "exec \"$@\" > '" + pipe + "'",
                                 "sh", STOKER_PROGRAM};
    all.insert(all.end(), words.begin(), words.end());
    return start(all);
  }

  Process& start_piped_run(const std::string& script,
                           const std::vector<std::string>& options = {},
                           int n = 1) {
    std::vector<std::string> words{"run", "-n", std::to_string(n)};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", "sh", "-c", script});
    return start_piped(words);
  }

  /// Waits until so many bytes are in the pipe.
  void await_unread(int bytes) const {
    auto end = ::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    REQUIRE(end >= 0);
    CHECK(eventually([&] {
      int there = 0;
      return ::ioctl(end, FIONREAD, &there) == 0 && there >= bytes;
    }));
    ::close(end);
  }

  /// Has the reader read, and returns the checksum of all that it has read.
  std::string read() {
    std::ofstream{path("read")};
    auto result = reader_->result(5 * patience);
    CHECK(result.status == 0);
    return result.out;
  }

  /// Of what a script writes to its standard output.
  std::string checksum_of(const std::string& script) {
    auto& process = start({"sh", "-c", "(" + script + ") | md5sum"});
    return process.result(5 * patience).out;
  }

private:
  Process* reader_ = nullptr;
};

} // namespace stoker::test
