#include "outputs/output_index.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "outputs/checksum.hpp"
#include "outputs/little_endian.hpp"
#include "process/unique_fd.hpp"

namespace stoker {

namespace {

constexpr std::string_view index_magic = "stokeidx";
constexpr std::uint32_t index_version = 1;
constexpr std::size_t index_entry_bytes = 20;

Error damaged_index(const std::string& what) {
  return {Errc::corrupt, "the index is damaged: " + what};
}

} // namespace

std::string to_bytes(const OutputIndex& x) {
  assert(x.partitions.size() <= partitions_max);
  std::string result{index_magic};
  result.reserve(index_header_bytes + x.partitions.size() * index_entry_bytes
                 + sizeof(std::uint32_t));
  put_little_endian(result, index_version);
  put_little_endian(result, x.attempt.stage.value);
  put_little_endian(result, x.attempt.task);
  put_little_endian(result, x.attempt.attempt);
  put_little_endian(result, x.exec_id);
  put_little_endian(result, static_cast<std::uint32_t>(x.partitions.size()));
  put_little_endian(result, x.data_bytes());
  for (const auto& entry : x.partitions) {
    put_little_endian(result, entry.offset);
    put_little_endian(result, entry.bytes);
    put_little_endian(result, entry.checksum);
  }
  put_little_endian(result, checksum_of(result));
  return result;
}

Result<OutputIndexHeader> parse_index_header(std::span<const char> bytes) {
  LittleEndianReader in{bytes};
  if (!in.take(index_magic))
    return damaged_index("it does not begin as one");
  if (auto version = in.take<std::uint32_t>();
      !in.failed() && version > index_version)
    return Error{Errc::too_new, "the index has version "
                                    + std::to_string(version)
                                    + ", which this program does not know"};
  OutputIndexHeader result;
  result.attempt.stage.value = in.take<std::int32_t>();
  result.attempt.task = in.take<std::int32_t>();
  result.attempt.attempt = in.take<std::int32_t>();
  result.exec_id = in.take<std::int32_t>();
  result.partitions = in.take<std::uint32_t>();
  result.data_bytes = in.take<std::uint64_t>();
  if (in.failed())
    return damaged_index("it ends too early");
  if (result.partitions > partitions_max)
    return damaged_index("it claims too many partitions");
  return result;
}

Result<OutputIndex> parse_index(std::span<const char> bytes) {
  auto header = parse_index_header(bytes);
  if (!header)
    return std::move(header).error();
  if (bytes.size()
      != index_header_bytes + header->partitions * index_entry_bytes
             + sizeof(std::uint32_t))
    return damaged_index("its size is wrong");
  auto covered = bytes.first(bytes.size() - sizeof(std::uint32_t));
  LittleEndianReader end{bytes.subspan(covered.size())};
  if (end.take<std::uint32_t>() != checksum_of(covered))
    return damaged_index("its checksum is wrong");
  OutputIndex result{header->attempt, header->exec_id, {}};
  result.partitions.reserve(header->partitions);
  LittleEndianReader in{covered.subspan(index_header_bytes)};
  std::uint64_t offset = 0;
  for (std::uint32_t i = 0; i < header->partitions; ++i) {
    PartitionEntry entry;
    entry.offset = in.take<std::uint64_t>();
    entry.bytes = in.take<std::uint64_t>();
    entry.checksum = in.take<std::uint32_t>();
    if (entry.offset != offset || entry.bytes > header->data_bytes - offset)
      return damaged_index("its partitions do not follow each other");
    offset += entry.bytes;
    result.partitions.push_back(entry);
  }
  if (offset != header->data_bytes)
    return damaged_index("its partitions are not all of the data");
  return result;
}

Result<OutputIndex> read_index(const std::filesystem::path& file,
                               const TaskAttempt& expected) {
  process::UniqueFd fd{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  if (!fd)
    return Error{errno == ENOENT ? Errc::not_found : Errc::io,
                 "there is no output of " + to_string(expected) + ": "
                     + std::strerror(errno)};
  constexpr auto bytes_max = index_header_bytes
                             + partitions_max * index_entry_bytes
                             + sizeof(std::uint32_t);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0)
    return Error{Errc::io, std::strerror(errno)};
  if (!S_ISREG(status.st_mode)
      || static_cast<std::uint64_t>(status.st_size) > bytes_max)
    return damaged_index("its size is wrong");
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  for (std::size_t at = 0; at < bytes.size();) {
    auto n = ::read(fd.get(), bytes.data() + at, bytes.size() - at);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return Error{Errc::io, std::strerror(errno)};
    if (n == 0)
      return damaged_index("it ends too early");
    at += static_cast<std::size_t>(n);
  }
  auto result = parse_index(bytes);
  if (result && result->attempt != expected)
    return damaged_index("it is the one of " + to_string(result->attempt));
  return result;
}

} // namespace stoker
