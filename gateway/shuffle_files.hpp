#pragma once

#include <string>
#include <vector>

#include "gateway/frame_server.hpp"
#include "messages/describe.hpp"
#include "messages/result.hpp"
#include "spark/block_messages.hpp"

namespace stoker {

// Files that Spark's executors write: where they are, and which bytes of them are a block
// (Spark's ExecutorDiskUtils, ExternalShuffleBlockResolver).

/// Where an executor writes.
struct ShuffleDirectories {
  std::vector<std::string> directories;

  /// How many each of them is divided into, named 00, 01 and so on in hexadecimal digits.
  int subdirectories = 0;

  friend bool operator==(const ShuffleDirectories&, const ShuffleDirectories&)
      = default;
};
BOOST_DESCRIBE_STRUCT(ShuffleDirectories, (), (directories, subdirectories))

/// The place of a file, which the hash of its name decides.
/// @pre There is a directory, and a subdirectory.
std::string shuffle_file(const ShuffleDirectories& where,
                         const std::string& name);

/// Where a block is at present. Fails with `Errc::not_found` where it is not, and with
/// `Errc::corrupt` where the index of a map task's output cannot be.
Result<FileSegment> find_block(const ShuffleDirectories& where,
                               const spark::Block& block);

} // namespace stoker
