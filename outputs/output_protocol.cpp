#include "outputs/output_protocol.hpp"

#include <cassert>
#include <string_view>

#include "outputs/little_endian.hpp"
#include "outputs/output_index.hpp"

namespace stoker {

namespace {

constexpr std::string_view request_magic = "stoq";
constexpr std::string_view answer_magic = "stoa";
constexpr std::uint32_t protocol_version = 1;

Error damaged_answer(const std::string& what) {
  return {Errc::corrupt,
          "the answer of the output service is damaged: " + what};
}

} // namespace

std::string to_bytes(std::span<const OutputRequest> request) {
  assert(!request.empty() && request.size() <= outputs_per_request_max);
  std::string result{request_magic};
  put_little_endian(result, protocol_version);
  put_little_endian(result, static_cast<std::uint32_t>(request.size()));
  for (const auto& x : request) {
    put_little_endian(result, x.attempt.stage.value);
    put_little_endian(result, x.attempt.task);
    put_little_endian(result, x.attempt.attempt);
    put_little_endian(result, x.partitions.first);
    put_little_endian(result, x.partitions.count);
    put_little_endian(result, x.skip);
  }
  return result;
}

Result<std::size_t> parse_request_header(std::span<const char> bytes) {
  LittleEndianReader in{bytes};
  if (!in.take(request_magic))
    return invalid("this is no request for outputs");
  auto version = in.take<std::uint32_t>();
  auto count = in.take<std::uint32_t>();
  if (in.failed())
    return invalid("the request ends too early");
  if (version > protocol_version)
    return Error{Errc::too_new,
                 "the request has version " + std::to_string(version)};
  if (count == 0 || count > outputs_per_request_max)
    return invalid("a request is for 1 to "
                   + std::to_string(outputs_per_request_max) + " outputs");
  return count * request_entry_bytes;
}

Result<std::vector<OutputRequest>>
parse_request_entries(std::span<const char> bytes) {
  if (bytes.empty() || bytes.size() % request_entry_bytes != 0
      || bytes.size() > outputs_per_request_max * request_entry_bytes)
    return invalid("the request has a wrong size");
  std::vector<OutputRequest> result(bytes.size() / request_entry_bytes);
  LittleEndianReader in{bytes};
  for (auto& x : result) {
    x.attempt.stage.value = in.take<std::int32_t>();
    x.attempt.task = in.take<std::int32_t>();
    x.attempt.attempt = in.take<std::int32_t>();
    x.partitions.first = in.take<std::uint32_t>();
    x.partitions.count = in.take<std::uint32_t>();
    x.skip = in.take<std::uint64_t>();
    if (x.attempt.stage.value < 0 || x.attempt.task < 0 || x.attempt.attempt < 0
        || x.partitions.count == 0)
      return invalid("the request asks for what cannot be");
  }
  return result;
}

std::string to_bytes(const AnswerHeader& x) {
  std::string result{answer_magic};
  put_little_endian(result, static_cast<std::uint32_t>(x.status));
  put_little_endian(result, x.partitions);
  put_little_endian(result, x.text_bytes);
  put_little_endian(result, x.bytes);
  return result;
}

Result<AnswerHeader> parse_answer_header(std::span<const char> bytes) {
  LittleEndianReader in{bytes};
  if (!in.take(answer_magic))
    return damaged_answer("it does not begin as one");
  AnswerHeader result;
  auto status = in.take<std::uint32_t>();
  result.partitions = in.take<std::uint32_t>();
  result.text_bytes = in.take<std::uint32_t>();
  result.bytes = in.take<std::uint64_t>();
  if (in.failed())
    return damaged_answer("it ends too early");
  if (status > static_cast<std::uint32_t>(OutputStatus::unreadable))
    return damaged_answer("its status is not known");
  result.status = static_cast<OutputStatus>(status);
  auto found = result.status == OutputStatus::found;
  if (found ? result.partitions == 0 || result.partitions > partitions_max
                  || result.text_bytes != 0
            : result.partitions != 0 || result.bytes != 0
                  || result.text_bytes > answer_text_max)
    return damaged_answer("its sizes cannot be");
  return result;
}

void put(std::string& out, const PartitionSize& x) {
  put_little_endian(out, x.bytes);
  put_little_endian(out, x.checksum);
}

Result<std::vector<PartitionSize>>
parse_partition_sizes(std::span<const char> bytes, const AnswerHeader& header) {
  if (bytes.size() != header.partitions * partition_size_bytes)
    return damaged_answer("it ends too early");
  std::vector<PartitionSize> result(header.partitions);
  LittleEndianReader in{bytes};
  auto left = header.bytes;
  for (auto& x : result) {
    x.bytes = in.take<std::uint64_t>();
    x.checksum = in.take<std::uint32_t>();
    if (x.bytes > left)
      return damaged_answer("its partitions are larger than all of it");
    left -= x.bytes;
  }
  if (left != 0)
    return damaged_answer("its partitions are smaller than all of it");
  return result;
}

} // namespace stoker
