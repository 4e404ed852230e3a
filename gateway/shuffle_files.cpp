#include "gateway/shuffle_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <variant>

#include "process/unique_fd.hpp"
#include "spark/bytes.hpp"

namespace stoker {

namespace {

/// String.hashCode, and its absolute value; 0 for the number that has none.
std::int32_t java_hash(std::string_view name) {
  std::uint32_t hash = 0;
  for (unsigned char c : name)
    hash = 31 * hash + c;
  constexpr std::uint32_t sign = std::uint32_t{1} << 31U;
  if (hash == sign)
    return 0;
  return static_cast<std::int32_t>((hash & sign) != 0 ? 0U - hash : hash);
}

Error no_file(const std::string& path) {
  return {Errc::not_found,
          path + ": " + std::generic_category().message(errno)};
}

/// Where the output of reduce task `reduce` begins, in the file of data.
struct IndexEntry {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// An index has, for each reduce task and one more, where its data begins.
Result<IndexEntry> read_index(const std::string& path,
                              const spark::ShuffleBlock& block) {
  constexpr std::int64_t entry_bytes = 8;
  // What is no file must not keep others waiting: a FIFO is one that cannot be read so.
  process::UniqueFd file{
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  if (!file)
    return no_file(path);
  auto read_at = [&](std::int64_t index) -> std::int64_t {
    std::array<char, entry_bytes> bytes{};
    if (::pread(file.get(), bytes.data(), bytes.size(),
                static_cast<off_t>(index * entry_bytes))
        != static_cast<ssize_t>(bytes.size()))
      return -1;
    return spark::ByteReader{{bytes.data(), bytes.size()}}.take<std::int64_t>();
  };
  IndexEntry result{read_at(block.begin), read_at(block.end)};
  if (result.begin < 0 || result.end < result.begin)
    return Error{Errc::corrupt, path + " does not say where the output for "
                                    + std::to_string(block.begin) + " to "
                                    + std::to_string(block.end) + " is"};
  return result;
}

Result<std::int64_t> size_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    return no_file(path);
  return std::int64_t{status.st_size};
}

Result<FileSegment> find(const ShuffleDirectories& where,
                         const spark::ShuffleBlock& block) {
  if (block.begin < 0 || block.end <= block.begin)
    return invalid("no block has the range from " + std::to_string(block.begin)
                   + " to " + std::to_string(block.end));
  auto name = "shuffle_" + std::to_string(block.shuffle) + '_'
              + std::to_string(block.map) + "_0";
  auto index = read_index(shuffle_file(where, name + ".index"), block);
  if (!index)
    return std::move(index).error();
  auto path = shuffle_file(where, name + ".data");
  auto length = static_cast<std::uint64_t>(index->end - index->begin);
  if (length == 0)
    return FileSegment{path, 0, 0};
  auto size = size_of(path);
  if (!size)
    return std::move(size).error();
  if (index->end > *size)
    return Error{Errc::corrupt, path + " is shorter than its index says"};
  return FileSegment{path, static_cast<std::uint64_t>(index->begin), length};
}

Result<FileSegment> find(const ShuffleDirectories& where,
                         const spark::RddBlock& block) {
  auto path = shuffle_file(where, "rdd_" + std::to_string(block.rdd) + '_'
                                      + std::to_string(block.partition));
  auto size = size_of(path);
  if (!size)
    return std::move(size).error();
  return FileSegment{path, 0, static_cast<std::uint64_t>(*size)};
}

} // namespace

std::string shuffle_file(const ShuffleDirectories& where,
                         const std::string& name) {
  constexpr std::string_view digits = "0123456789abcdef";
  auto hash = static_cast<std::size_t>(java_hash(name));
  auto count = where.directories.size();
  auto sub = hash / count % static_cast<std::size_t>(where.subdirectories);
  std::string sub_name;
  do {
    sub_name.insert(sub_name.begin(), digits[sub % digits.size()]);
    sub /= digits.size();
  } while (sub > 0 || sub_name.size() < 2);
  return where.directories[hash % count] + '/' + sub_name + '/' + name;
}

Result<FileSegment> find_block(const ShuffleDirectories& where,
                               const spark::Block& block) {
  return std::visit([&](const auto& x) { return find(where, x); }, block);
}

} // namespace stoker
