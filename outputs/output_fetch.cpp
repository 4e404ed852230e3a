#include "outputs/output_fetch.hpp"

#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace stoker {

FetchFailure OutputFetch::failure(bool unreachable,
                                  const std::string& why) const {
  const auto& attempt = wanted_[at_].attempt;
  return {server_, attempt, unreachable,
          "cannot read the output of " + to_string(attempt) + " at "
              + to_string(server_) + ": " + why};
}

// -- direct --------------------------------------------------------------------

Status DirectFetch::open() {
  const auto& wanted = wanted_[at_];
  auto output = StoredOutput::open(server_.directory, wanted.attempt);
  if (!output)
    return std::move(output).error();
  const auto& all = output->index().partitions;
  auto [first, count] = wanted.partitions;
  if (first >= all.size()
      || (count != PartitionRange::all && count > all.size() - first))
    return Error{Errc::not_found,
                 "it has " + std::to_string(all.size()) + " partitions"};
  auto end = count == PartitionRange::all ? all.size() : first + count;
  std::vector<PartitionSize> sizes;
  sizes.reserve(end - first);
  for (auto i = std::size_t{first}; i < end; ++i)
    sizes.push_back({all[i].bytes, all[i].checksum});
  begin_ = all[first].offset;
  check_.emplace(std::move(sizes));
  output_ = *std::move(output);
  return check_->take({});
}

OutputFetch::Read DirectFetch::read(std::span<char> into) {
  assert(at_ < wanted_.size());
  if (!output_)
    if (auto good = open(); !good)
      return failure(false, good.error().message);
  if (check_->left() == 0) {
    output_.reset();
    ++at_;
    return std::size_t{0};
  }
  auto room = std::min<std::uint64_t>(into.size(), check_->left());
  auto n = output_->read(begin_ + check_->taken(),
                         into.first(static_cast<std::size_t>(room)));
  if (!n)
    return failure(false, n.error().message);
  if (auto good = check_->take(into.first(*n)); !good)
    return failure(false, good.error().message);
  return *n;
}

// -- over a connection ---------------------------------------------------------

RemoteFetch::~RemoteFetch() {
  // All that was asked for has come.
  if (connection_.connection && at_ == wanted_.size())
    pool_->give_back(server_, std::move(connection_));
}

void RemoteFetch::begin() {
  // Who wants to read tries again, and says what is wrong.
  if (at_ < wanted_.size() && !connection_.connection)
    if (auto good = ask(); !good)
      connection_ = {};
}

Status RemoteFetch::ask() {
  if (!connection_.connection) {
    auto taken = pool_->take(server_, stop_);
    if (!taken)
      return std::move(taken).error();
    connection_ = *std::move(taken);
    asked_end_ = at_;
    has_head_ = false;
  }
  if (at_ < asked_end_)
    return {};
  asked_end_ = std::min(wanted_.size(), at_ + outputs_per_request_max);
  std::vector<OutputRequest> request{
      wanted_.begin() + static_cast<std::ptrdiff_t>(at_),
      wanted_.begin() + static_cast<std::ptrdiff_t>(asked_end_)};
  if (check_)
    request.front().skip = check_->taken();
  return connection_.connection->send(to_bytes(request),
                                      pool_->limits().silence_max, stop_);
}

Status RemoteFetch::read_head() {
  auto read = [&](std::string& into, std::size_t bytes) {
    into.resize(bytes);
    return connection_.connection->read_all(into, pool_->limits().silence_max,
                                            stop_);
  };
  std::string bytes;
  if (auto good = read(bytes, answer_header_bytes); !good)
    return good;
  auto header = parse_answer_header(bytes);
  if (!header)
    return std::move(header).error();
  if (header->status != OutputStatus::found) {
    if (auto good = read(bytes, header->text_bytes); !good)
      return good;
    return Error{header->status == OutputStatus::unreadable ? Errc::io
                                                            : Errc::not_found,
                 bytes};
  }
  if (auto good = read(bytes, header->partitions * partition_size_bytes); !good)
    return good;
  auto sizes = parse_partition_sizes(bytes, *header);
  if (!sizes)
    return std::move(sizes).error();
  has_head_ = true;
  if (check_)
    return check_->sizes() == *sizes
               ? Status{}
               : Error{Errc::corrupt, "it is not what it was before"};
  check_.emplace(*std::move(sizes));
  return check_->take({});
}

Result<std::size_t> RemoteFetch::try_read(std::span<char> into) {
  if (auto good = ask(); !good)
    return std::move(good).error();
  if (!has_head_)
    if (auto good = read_head(); !good)
      return std::move(good).error();
  if (check_->left() == 0) {
    check_.reset();
    has_head_ = false;
    ++at_;
    return std::size_t{0};
  }
  auto room = std::min<std::uint64_t>(into.size(), check_->left());
  auto n
      = connection_.connection->read(into.first(static_cast<std::size_t>(room)),
                                     pool_->limits().silence_max, stop_);
  if (n)
    if (auto good = check_->take(into.first(*n)); !good)
      return std::move(good).error();
  return n;
}

bool RemoteFetch::wait_for_retry() {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock{mutex};
  never.wait_for(lock, stop_, pool_->limits().retry_wait, [] { return false; });
  return !stop_.stop_requested();
}

OutputFetch::Read RemoteFetch::read(std::span<char> into) {
  assert(at_ < wanted_.size());
  for (;;) {
    auto n = try_read(into);
    if (n) {
      failures_ = 0;
      connection_.used_before = false;
      return *n;
    }
    auto was_kept = connection_.used_before;
    connection_ = {};
    auto code = n.code();
    if (code != Errc::not_alive && code != Errc::io)
      return failure(false, n.error().message);
    // A server that has left a connection which nobody used has not failed yet.
    if (was_kept)
      continue;
    if (failures_++ == pool_->limits().retries || !wait_for_retry())
      return failure(code == Errc::not_alive, n.error().message);
  }
}

} // namespace stoker
