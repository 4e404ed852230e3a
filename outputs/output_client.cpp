#include "outputs/output_client.hpp"

#include <map>
#include <tuple>
#include <utility>

#include "outputs/application_outputs.hpp"

namespace stoker {

namespace {

bool is_here(const OutputServer& server) {
  return !server.id.empty() && read_server_id(server.directory) == server.id;
}

} // namespace

OutputReader::OutputReader(std::shared_ptr<ConnectionPool> pool,
                           std::vector<LocatedOutput> sources,
                           PartitionRange partitions,
                           const std::stop_token& stop)
    : pool_(std::move(pool)), sources_(std::move(sources)),
      buffer_(pool_->limits().chunk_bytes) {
  using Key = std::tuple<std::string, std::uint16_t, std::string, std::string>;
  std::map<Key, std::size_t> numbers;
  std::vector<const OutputServer*> servers;
  std::vector<std::vector<OutputRequest>> wanted;
  for (const auto& [server, attempt] : sources_) {
    auto [found, is_new] = numbers.emplace(
        Key{server.host, server.port, server.directory, server.id},
        servers.size());
    if (is_new) {
      servers.push_back(&server);
      wanted.emplace_back();
    }
    fetch_of_.push_back(found->second);
    wanted[found->second].push_back({attempt, partitions, 0});
  }
  for (std::size_t i = 0; i < servers.size(); ++i) {
    outputs_left_.push_back(wanted[i].size());
    if (is_here(*servers[i]))
      fetches_.push_back(
          std::make_unique<DirectFetch>(*servers[i], std::move(wanted[i])));
    else
      fetches_.push_back(std::make_unique<RemoteFetch>(
          *servers[i], std::move(wanted[i]), pool_, stop));
  }
}

void OutputReader::ask_ahead(std::size_t needed) {
  for (; begun_ < fetches_.size()
         && (begun_ <= needed || open_ < pool_->limits().servers_ahead);
       ++begun_, ++open_)
    fetches_[begun_]->begin();
}

Fetched OutputReader::next() {
  if (failure_)
    return *failure_;
  while (at_ < sources_.size()) {
    auto number = fetch_of_[at_];
    ask_ahead(number);
    auto read = fetches_[number]->read(buffer_);
    if (auto* failed = std::get_if<FetchFailure>(&read)) {
      failure_ = std::move(*failed);
      return *failure_;
    }
    auto bytes = std::get<std::size_t>(read);
    if (bytes > 0)
      return OutputChunk{at_, std::span{buffer_}.first(bytes)};
    if (--outputs_left_[number] == 0) {
      fetches_[number].reset();
      --open_;
    }
    ++at_;
  }
  return EndOfOutputs{};
}

OutputClient::OutputClient(const AppId& app, const ApplicationSecret& secret,
                           const FetchLimits& limits)
    : pool_(std::make_shared<ConnectionPool>(app, secret, limits)) {
}

OutputReader OutputClient::read_partition(std::vector<LocatedOutput> sources,
                                          std::uint32_t partition,
                                          const std::stop_token& stop) const {
  return read_range(std::move(sources), {partition, 1}, stop);
}

OutputReader OutputClient::read_range(std::vector<LocatedOutput> sources,
                                      PartitionRange partitions,
                                      const std::stop_token& stop) const {
  return {pool_, std::move(sources), partitions, stop};
}

std::variant<std::string, FetchFailure>
OutputClient::fetch(const LocatedOutput& source, PartitionRange partitions,
                    std::size_t bytes_max, const std::stop_token& stop) const {
  auto reader = read_range({source}, partitions, stop);
  std::string result;
  for (;;) {
    auto fetched = reader.next();
    if (auto* failed = std::get_if<FetchFailure>(&fetched))
      return std::move(*failed);
    if (std::holds_alternative<EndOfOutputs>(fetched))
      return result;
    auto bytes = std::get<OutputChunk>(fetched).bytes;
    if (bytes.size() > bytes_max - result.size())
      return FetchFailure{source.server, source.attempt, false,
                          "the output of " + to_string(source.attempt)
                              + " is larger than " + std::to_string(bytes_max)
                              + " bytes"};
    result.append(bytes.data(), bytes.size());
  }
}

} // namespace stoker
