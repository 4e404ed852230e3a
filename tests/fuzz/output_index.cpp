// Indexes of outputs, and names of files beside them.

#include "outputs/output_index.hpp"

#include <string>

#include "outputs/checksum.hpp"
#include "outputs/little_endian.hpp"
#include "outputs/output_names.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace stoker;
using stoker::test::require;

namespace {

void parse(std::string_view bytes) {
  auto index = parse_index(bytes);
  if (!index)
    return;
  std::uint64_t end = 0;
  for (const auto& x : index->partitions) {
    require(x.offset == end);
    end += x.bytes;
  }
  require(end == index->data_bytes());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  auto text = test::text_of(data, size);
  parse(text);
  // Nobody guesses a checksum: what is behind it is reached with the right one.
  std::string right{text};
  put_little_endian(right, checksum_of(right));
  parse(right);
  if (auto name = parse_output_file_name(text)) {
    auto again = name->exec_id          ? unfinished_file_name(*name->exec_id,
                                                               name->attempt, name->kind)
                 : name->kind == "data" ? data_file_name(name->attempt)
                                        : index_file_name(name->attempt);
    require(again == text);
  }
  return 0;
}
