// What a peer says before and after it is let in.

#include <algorithm>
#include <span>
#include <vector>

#include "network/basp_filter.hpp"
#include "network/greeting.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace stoker;

namespace {

/// All that passes, when the bytes come in parts of this size. Nothing: an error.
std::vector<char> passed(std::span<const char> bytes, std::size_t part) {
  BaspRules rules;
  rules.actor = 7;
  rules.message_max = 1 << 16;
  BaspFilter filter{std::move(rules)};
  std::vector<char> result;
  while (!bytes.empty()) {
    auto now = bytes.first(std::min(part, bytes.size()));
    if (!filter.filter(now, result))
      break;
    bytes = bytes.subspan(now.size());
  }
  return result;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  auto text = test::text_of(data, size);
  (void)parse_greeting(text);
  std::span bytes{text.data(), text.size()};
  // However the bytes are cut, the same passes.
  auto whole = passed(bytes, std::max<std::size_t>(size, 1));
  auto single = passed(bytes, 1);
  test::require(whole.size() <= size);
  test::require(whole == single);
  return 0;
}
