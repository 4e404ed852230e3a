#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "messages/result.hpp"

namespace stoker::spark {

// What Spark's executors say to the external shuffle service of their machine, and to those
// of others, and its answers (Spark's network-shuffle, package
// org.apache.spark.network.shuffle.protocol). All versions that have a table here say it alike.
// Each is the body of a request or a response; blocks themselves come as chunks
// (spark/chunk_frames.hpp).

/// A part of the output of a map task: what the reduce tasks from `begin` up to `end` read.
struct ShuffleBlock {
  int shuffle = 0;
  std::int64_t map = 0;
  int begin = 0;
  int end = 0;

  friend bool operator==(const ShuffleBlock&, const ShuffleBlock&) = default;
};

/// A partition that was cached on disk.
struct RddBlock {
  int rdd = 0;
  int partition = 0;

  friend bool operator==(const RddBlock&, const RddBlock&) = default;
};

using Block = std::variant<ShuffleBlock, RddBlock>;

/// An executor says where it writes. Answered by nothing.
struct RegisterShuffleExecutor {
  std::string app_id;
  std::string exec_id;
  std::vector<std::string> directories;

  /// How many each of them is divided into.
  int subdirectories = 0;
};

/// FetchShuffleBlocks, and OpenBlocks of older ones: asks for a stream of which each chunk
/// is a block. Answered by `stream_handle`.
struct FetchBlocks {
  std::string app_id;
  std::string exec_id;
  std::vector<Block> blocks;
};

/// Removes files of an executor. Answered by `blocks_removed`.
struct RemoveBlocks {
  std::string app_id;
  std::string exec_id;
  std::vector<std::string> files;
};

/// Answered by `local_directories`.
struct GetLocalDirectories {
  std::string app_id;
  std::vector<std::string> exec_ids;
};

/// Asks why a block was damaged. Answered by `unknown_cause`.
struct DiagnoseCorruption {};

/// What a service without push-based shuffle has no use for.
struct OtherBlockMessage {
  int type = 0;
};

using BlockMessage
    = std::variant<RegisterShuffleExecutor, FetchBlocks, RemoveBlocks,
                   GetLocalDirectories, DiagnoseCorruption, OtherBlockMessage>;

/// Fails with `Errc::corrupt` for what is none, and `Errc::invalid_request` for blocks of
/// kinds that no shuffle service has.
Result<BlockMessage> read_block_message(std::string_view body);

/// An executor whose blocks are asked for.
struct BlockSource {
  std::string app_id;
  std::string exec_id;

  friend bool operator==(const BlockSource&, const BlockSource&) = default;
};

/// Returns whose blocks a frame asks for.
/// @param begin the beginning of the frame (spark/frame.hpp), or all of it
/// @return std::nullopt if it asks for none, or if more of it has to come
std::optional<BlockSource> block_source(std::string_view begin);

std::string stream_handle(std::int64_t stream, int chunks);
std::string blocks_removed(int count);
std::string local_directories(
    const std::map<std::string, std::vector<std::string>>& of_executors);
std::string unknown_cause();

} // namespace stoker::spark
