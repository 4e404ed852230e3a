// What a reader says to the service of outputs, and what that answers.

#include <span>
#include <string_view>

#include "outputs/output_protocol.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace stoker;
using stoker::test::require;

namespace {

void parse_request(std::string_view bytes) {
  auto rest = parse_request_header(bytes);
  if (!rest)
    return;
  require(*rest > 0 && request_header_bytes + *rest <= request_bytes_max);
  if (bytes.size() < request_header_bytes + *rest)
    return;
  auto read = bytes.substr(0, request_header_bytes + *rest);
  auto request = parse_request_entries(read.substr(request_header_bytes));
  if (!request)
    return;
  // What is understood can be said again; versions before this one are none.
  auto again = to_bytes(*request);
  require(again.substr(request_header_bytes)
          == read.substr(request_header_bytes));
}

void parse_answer(std::string_view bytes) {
  auto header = parse_answer_header(bytes);
  if (!header)
    return;
  require(header->text_bytes <= answer_text_max);
  require(to_bytes(*header) == bytes.substr(0, answer_header_bytes));
  auto sizes
      = parse_partition_sizes(bytes.substr(answer_header_bytes), *header);
  if (!sizes)
    return;
  std::uint64_t sum = 0;
  for (const auto& x : *sizes)
    sum += x.bytes;
  require(sum == header->bytes);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  auto text = test::text_of(data, size);
  parse_request(text);
  parse_answer(text);
  return 0;
}
