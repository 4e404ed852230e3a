// What a program writes, of which each line goes to one partition.

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "executor/line_router.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace {

using namespace stoker;
using namespace stoker::executor;

using Texts = std::map<std::int32_t, std::string>;

class KeptPartitions : public PartitionSink {
public:
  Status append(std::int32_t partition, std::string_view bytes) override {
    texts[partition].append(bytes);
    return {};
  }

  Status finish() override {
    return {};
  }

  Texts texts;
};

/// The same, one line after the other.
Texts route_simply(std::string_view text, Routing routing) {
  Texts result;
  while (!text.empty()) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    auto key = line.substr(0, key_bytes_max);
    auto partition
        = partition_of(key.substr(0, key.find('\t')), routing.partitions);
    if (routing.by == RouteBy::round_robin)
      partition = std::exchange(routing.first,
                                (routing.first + 1) % routing.partitions);
    result[partition].append(line) += '\n';
  }
  return result;
}

} // namespace

/// The first bytes say how many partitions there are, by what lines are routed, and in
/// which pieces they come.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  if (size < 3)
    return 0;
  Routing routing;
  routing.partitions = 1 + data[0] % 16;
  routing.by = data[1] % 2 == 0 ? RouteBy::key : RouteBy::round_robin;
  auto piece_bytes = std::size_t{1} + data[2];
  auto text = stoker::test::text_of(data + 3, size - 3);

  auto partitions = std::make_shared<KeptPartitions>();
  LineRouter router{routing, partitions};
  for (std::size_t at = 0; at < text.size(); at += piece_bytes)
    stoker::test::require(
        static_cast<bool>(router.append(text.substr(at, piece_bytes))));
  stoker::test::require(static_cast<bool>(router.finish()));
  stoker::test::require(partitions->texts == route_simply(text, routing));
  return 0;
}
