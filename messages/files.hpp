#pragma once

// Files that go with commands: from who submits them to the master, and from there to the
// workers that start the programs.
//
//   submitter             master                worker
//     | StoreFilePart       |                     |
//     |-------------------->|                     |
//     |   StoreFileResponse |                     |
//     |<--------------------|                     |
//     | (again, to its end) |                     |
//     |                     | LaunchExecutor      |
//     |                     |-------------------->|
//     |                     | FetchFilePart       |
//     |                     |<--------------------|
//     |                     |   FilePart          |
//     |                     |-------------------->|
//     |                     | (again, to its end) |

#include <cstdint>
#include <optional>
#include <string>

#include "messages/descriptions.hpp"
#include "messages/ids.hpp"

namespace stoker {

/// A piece of a file. Without data it asks how much of the file there is. What is stored
/// stays at least for an hour, and as long as something that names it runs or waits.
struct StoreFilePart {
  /// Of the whole file, as in CommandFile.
  std::string sha256;
  std::int64_t bytes = 0;

  /// Of the first byte of `data`.
  std::int64_t offset = 0;

  /// Raw bytes, at most 1 MB.
  std::string data;

  /// Who has proven to send it, as "user ann": for the master to fill in.
  std::string identity;
};
BOOST_DESCRIBE_STRUCT(StoreFilePart, (),
                      (sha256, bytes, offset, data, identity))

struct StoreFileResponse {
  /// How many bytes there are, from the start: go on there.
  std::int64_t stored = 0;

  /// Why it is not stored, in one line.
  std::optional<std::string> problem;
};
BOOST_DESCRIBE_STRUCT(StoreFileResponse, (), (stored, problem))

/// Asks the master for a piece of a file of a program that the worker is to start.
struct FetchFilePart {
  WorkerId worker_id;

  /// Exactly one of the two is set.
  std::optional<ExecutorId> executor;
  std::optional<DriverId> driver;

  std::string sha256;
  std::int64_t offset = 0;

  /// In bytes. Less may come.
  std::int64_t limit = 0;
};
BOOST_DESCRIBE_STRUCT(FetchFilePart, (),
                      (worker_id, executor, driver, sha256, offset, limit))

struct FilePart {
  /// Raw bytes, from the offset asked for.
  std::string data;

  /// Why there is none, in one line.
  std::optional<std::string> problem;
};
BOOST_DESCRIBE_STRUCT(FilePart, (), (data, problem))

} // namespace stoker
