#include "spark/block_messages.hpp"

#include <charconv>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "spark/bytes.hpp"
#include "spark/frame.hpp"
#include "spark/wire_error.hpp"

namespace stoker::spark {

namespace {

/// BlockTransferMessage.Type
enum class BlockMessageType : std::uint8_t {
  open_blocks = 0,
  register_executor = 2,
  stream_handle = 3,
  remove_blocks = 7,
  blocks_removed = 8,
  fetch_shuffle_blocks = 9,
  get_local_directories = 10,
  local_directories = 11,
  diagnose_corruption = 16,
  corruption_cause = 17,
};

/// Cause.UNKNOWN_ISSUE
constexpr std::uint8_t unknown_issue = 2;

// -- reading ------------------------------------------------------------------

/// How many elements follow, which take so many bytes at least.
std::size_t take_count(ByteReader& in, std::size_t element_bytes) {
  auto count = in.take<std::int32_t>();
  if (count < 0 || static_cast<std::size_t>(count) > in.left() / element_bytes)
    throw WireError{"a list of " + std::to_string(count)
                    + " elements is longer than its message"};
  return static_cast<std::size_t>(count);
}

std::string take_text(ByteReader& in) {
  return std::string{in.take_bytes(take_count(in, 1))};
}

std::vector<std::string> take_texts(ByteReader& in) {
  std::vector<std::string> result(take_count(in, sizeof(std::int32_t)));
  for (auto& x : result)
    x = take_text(in);
  return result;
}

template <std::integral T>
std::vector<T> take_numbers(ByteReader& in) {
  std::vector<T> result(take_count(in, sizeof(T)));
  for (auto& x : result)
    x = in.take<T>();
  return result;
}

RegisterShuffleExecutor take_registration(ByteReader& in) {
  RegisterShuffleExecutor result;
  result.app_id = take_text(in);
  result.exec_id = take_text(in);
  result.directories = take_texts(in);
  result.subdirectories = in.take<std::int32_t>();
  // The class of its shuffle manager; all write the same files.
  take_text(in);
  return result;
}

FetchBlocks take_fetch(ByteReader& in) {
  FetchBlocks result;
  result.app_id = take_text(in);
  result.exec_id = take_text(in);
  auto shuffle = in.take<std::int32_t>();
  auto maps = take_numbers<std::int64_t>(in);
  auto lists = take_count(in, sizeof(std::int32_t));
  if (lists != maps.size())
    throw WireError{"a fetch of blocks has " + std::to_string(maps.size())
                    + " maps and " + std::to_string(lists) + " lists"};
  std::vector<std::vector<std::int32_t>> reduces(lists);
  for (auto& x : reduces)
    x = take_numbers<std::int32_t>(in);
  auto in_ranges = in.take<std::uint8_t>() != 0;
  for (std::size_t i = 0; i < lists; ++i) {
    const auto& list = reduces[i];
    if (in_ranges && list.size() != 2)
      throw WireError{"a range of blocks has " + std::to_string(list.size())
                      + " ends"};
    if (in_ranges)
      result.blocks.emplace_back(
          ShuffleBlock{shuffle, maps[i], list[0], list[1]});
    else
      for (auto reduce : list) {
        if (reduce < 0 || reduce == std::numeric_limits<std::int32_t>::max())
          throw WireError{"there is no reduce task " + std::to_string(reduce)};
        result.blocks.emplace_back(
            ShuffleBlock{shuffle, maps[i], reduce, reduce + 1});
      }
  }
  return result;
}

/// Takes '_' and a number off the front of a block's name.
template <std::integral T>
std::optional<T> take_part(std::string_view& from) {
  if (!from.starts_with('_'))
    return std::nullopt;
  T result = 0;
  auto [end, error]
      = std::from_chars(from.data() + 1, from.data() + from.size(), result);
  if (error != std::errc{} || result < 0)
    return std::nullopt;
  from.remove_prefix(static_cast<std::size_t>(end - from.data()));
  return result;
}

/// shuffle_SHUFFLE_MAP_REDUCE, shuffle_SHUFFLE_MAP_BEGIN_END or rdd_RDD_PARTITION
std::optional<Block> block_of(std::string_view name) {
  constexpr std::string_view shuffle_prefix = "shuffle";
  constexpr std::string_view rdd_prefix = "rdd";
  if (name.starts_with(rdd_prefix)) {
    name.remove_prefix(rdd_prefix.size());
    auto rdd = take_part<int>(name);
    auto partition = take_part<int>(name);
    if (rdd && partition && name.empty())
      return RddBlock{*rdd, *partition};
    return std::nullopt;
  }
  if (!name.starts_with(shuffle_prefix))
    return std::nullopt;
  name.remove_prefix(shuffle_prefix.size());
  auto shuffle = take_part<int>(name);
  auto map = take_part<std::int64_t>(name);
  auto begin = take_part<int>(name);
  if (!shuffle || !map || !begin)
    return std::nullopt;
  if (name.empty() && *begin < std::numeric_limits<int>::max())
    return ShuffleBlock{*shuffle, *map, *begin, *begin + 1};
  auto end = take_part<int>(name);
  if (end && name.empty())
    return ShuffleBlock{*shuffle, *map, *begin, *end};
  return std::nullopt;
}

Result<BlockMessage> take_open(ByteReader& in) {
  FetchBlocks result;
  result.app_id = take_text(in);
  result.exec_id = take_text(in);
  for (const auto& name : take_texts(in)) {
    auto block = block_of(name);
    if (!block)
      return invalid("a shuffle service has no block " + name.substr(0, 100));
    result.blocks.push_back(*block);
  }
  return BlockMessage{std::move(result)};
}

RemoveBlocks take_removal(ByteReader& in) {
  RemoveBlocks result;
  result.app_id = take_text(in);
  result.exec_id = take_text(in);
  result.files = take_texts(in);
  return result;
}

GetLocalDirectories take_question_for_directories(ByteReader& in) {
  GetLocalDirectories result;
  result.app_id = take_text(in);
  result.exec_ids = take_texts(in);
  return result;
}

Result<BlockMessage> take_message(ByteReader& in) {
  auto type = in.take<std::uint8_t>();
  switch (static_cast<BlockMessageType>(type)) {
  case BlockMessageType::register_executor:
    return BlockMessage{take_registration(in)};
  case BlockMessageType::fetch_shuffle_blocks:
    return BlockMessage{take_fetch(in)};
  case BlockMessageType::open_blocks:
    return take_open(in);
  case BlockMessageType::remove_blocks:
    return BlockMessage{take_removal(in)};
  case BlockMessageType::get_local_directories:
    return BlockMessage{take_question_for_directories(in)};
  case BlockMessageType::diagnose_corruption:
    return BlockMessage{DiagnoseCorruption{}};
  default:
    return BlockMessage{OtherBlockMessage{type}};
  }
}

// -- writing ------------------------------------------------------------------

std::string begin_message(BlockMessageType type) {
  return {static_cast<char>(type)};
}

} // namespace

Result<BlockMessage> read_block_message(std::string_view body) {
  try {
    ByteReader in{body};
    return take_message(in);
  } catch (const WireError& e) {
    return Error{Errc::corrupt,
                 std::string{"a message about blocks: "} + e.what()};
  }
}

std::optional<BlockSource> block_source(std::string_view begin) {
  try {
    ByteReader in{begin};
    in.take<std::int64_t>();
    if (FrameType{in.take<std::uint8_t>()} != FrameType::rpc_request)
      return std::nullopt;
    in.take<std::int64_t>();
    in.take<std::int32_t>();
    auto type = BlockMessageType{in.take<std::uint8_t>()};
    if (type != BlockMessageType::open_blocks
        && type != BlockMessageType::fetch_shuffle_blocks)
      return std::nullopt;
    auto app_id = take_text(in);
    return BlockSource{std::move(app_id), take_text(in)};
  } catch (const WireError&) {
    return std::nullopt;
  }
}

std::string stream_handle(std::int64_t stream, int chunks) {
  auto result = begin_message(BlockMessageType::stream_handle);
  put_big_endian(result, stream);
  put_big_endian(result, static_cast<std::int32_t>(chunks));
  return result;
}

std::string blocks_removed(int count) {
  auto result = begin_message(BlockMessageType::blocks_removed);
  put_big_endian(result, static_cast<std::int32_t>(count));
  return result;
}

std::string local_directories(
    const std::map<std::string, std::vector<std::string>>& of_executors) {
  auto result = begin_message(BlockMessageType::local_directories);
  std::string counts;
  std::string directories;
  auto count = static_cast<std::int32_t>(of_executors.size());
  std::int32_t total = 0;
  put_big_endian(result, count);
  for (const auto& [executor, of_one] : of_executors) {
    put_counted_text(result, executor);
    put_big_endian(counts, static_cast<std::int32_t>(of_one.size()));
    for (const auto& directory : of_one) {
      put_counted_text(directories, directory);
      ++total;
    }
  }
  put_big_endian(result, count);
  result += counts;
  put_big_endian(result, total);
  return result + directories;
}

std::string unknown_cause() {
  auto result = begin_message(BlockMessageType::corruption_cause);
  put_big_endian(result, unknown_issue);
  return result;
}

} // namespace stoker::spark
