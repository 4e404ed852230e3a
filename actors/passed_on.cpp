#include "actors/passed_on.hpp"

#include <algorithm>

#include "network/local_streams.hpp"

namespace stoker {

namespace {

/// Of what may wait in a connection outputs take a quarter, besides the smallest parts.
constexpr auto shared_bytes = std::int64_t{unread_bytes_max / 4};

/// One request takes such a part of what is left at most.
constexpr std::int64_t share = 8;

/// Some 24,000 requests for so little fit into a connection.
constexpr std::int64_t part_min = 4096;

} // namespace

std::int64_t output_limit(std::int64_t asked, std::int64_t to_come) {
  auto left = std::max<std::int64_t>(0, shared_bytes - to_come);
  return std::clamp<std::int64_t>(asked, 0, std::max(part_min, left / share));
}

std::uint64_t PassedOn::add(PeerNumber worker, std::int64_t bytes,
                            caf::response_promise answer) {
  auto& x = workers_[worker];
  x.requests.emplace(++last_, Request{bytes, std::move(answer)});
  x.bytes += bytes;
  return last_;
}

std::optional<caf::response_promise> PassedOn::take(PeerNumber worker,
                                                    std::uint64_t number) {
  auto of = workers_.find(worker);
  if (of == workers_.end())
    return std::nullopt;
  auto& x = of->second;
  auto found = x.requests.extract(number);
  if (!found)
    return std::nullopt;
  x.bytes -= found.mapped().bytes;
  if (x.requests.empty())
    workers_.erase(of);
  return std::move(found.mapped().answer);
}

std::vector<caf::response_promise> PassedOn::take_all(PeerNumber worker) {
  std::vector<caf::response_promise> result;
  if (auto found = workers_.extract(worker))
    for (auto& [number, request] : found.mapped().requests)
      result.push_back(std::move(request.answer));
  return result;
}

std::int64_t PassedOn::bytes_to_come(PeerNumber worker) const {
  auto found = workers_.find(worker);
  return found == workers_.end() ? 0 : found->second.bytes;
}

} // namespace stoker
