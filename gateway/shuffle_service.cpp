#include "gateway/shuffle_service.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <spdlog/spdlog.h>

#include "gateway/shuffle_files.hpp"
#include "gateway/shuffle_registry.hpp"
#include "gateway/user_name.hpp"
#include "network/address.hpp"
#include "network/descriptor_shares.hpp"
#include "network/limited_log.hpp"
#include "scheduling/common/plain_name.hpp"
#include "spark/block_messages.hpp"
#include "spark/chunk_frames.hpp"
#include "spark/frame.hpp"

namespace stoker {

namespace fs = std::filesystem;

namespace {

/// A reducer of 100,000 map tasks asks for all of them of a machine at once.
constexpr std::size_t question_bytes_max = std::size_t{16} << 20U;

/// Of all streams that are not read to their end.
constexpr std::size_t blocks_max = std::size_t{16} << 20U;

/// Executors of other machines are many, and come at once when a stage begins.
FrameServerLimits limits() {
  constexpr std::size_t newcomers_max = 512;
  constexpr std::size_t parts = 2;
  FrameServerLimits result;
  result.frame_bytes_max = question_bytes_max;
  result.connections_max = descriptors_for_spark();
  // The executors of one machine count together, and fetch thousands of blocks at once.
  result.unread_bytes_of_all_max = std::size_t{256} << 20U;
  auto& newcomers = result.newcomers;
  newcomers.connections_max
      = std::min(newcomers_max, result.connections_max / parts);
  newcomers.connections_each = newcomers.connections_max / result.parts;
  return result;
}

} // namespace

/// For the server's thread alone, except for `report_to`.
class ShuffleService::Conversations {
public:
  explicit Conversations(const ShuffleServiceConfig& config)
      : registry_(config.directory), trust_(config.trust) {
  }

  void report_to(std::function<void(const AppId&)> listener) {
    std::lock_guard lock{listener_mutex_};
    listener_ = std::move(listener);
  }

  [[nodiscard]] Result<PeerTrust> admit(const FrameConnection& x) const {
    return trust_(x);
  }

  void opened(const FrameConnectionPtr& x) {
    auto trust = trust_(*x);
    auto is_trusted = trust && *trust == PeerTrust::own;
    clients_[x.get()].is_of_this_machine = is_trusted;
    // Between two stages it may be silent for as long as it likes.
    if (is_trusted)
      x->accept();
  }

  /// A question for many blocks is large.
  bool knows(std::string_view begin) {
    auto source = spark::block_source(begin);
    return source && registry_.find(source->app_id, source->exec_id);
  }

  void received(const FrameConnectionPtr& x, std::string_view bytes) {
    auto client = clients_.find(x.get());
    if (client != clients_.end())
      if (auto taken = take(*x, client->second, bytes); !taken)
        refuse(*x, taken.error().message);
    x->processed();
  }

  void closed(const FrameConnectionPtr& x) {
    auto client = clients_.extract(x.get());
    if (client.empty())
      return;
    for (const auto& [id, stream] : client.mapped().streams)
      blocks_ -= stream.blocks.size();
  }

private:
  /// What somebody reads, chunk by chunk.
  struct BlockStream {
    ShuffleDirectories where;
    std::vector<spark::Block> blocks;
  };

  struct Client {
    bool is_of_this_machine = false;
    std::int64_t next_stream = 0;
    std::map<std::int64_t, BlockStream> streams;
  };

  void refuse(FrameConnection& x, const std::string& why) {
    refusals_.warn("the connection of " + to_string(x.peer())
                   + " is closed: " + why);
    x.close(why);
  }

  /// What is wrong with a frame that cannot be read.
  Status take(FrameConnection& connection, Client& client,
              std::string_view bytes) {
    auto chunk = spark::read_chunk_request(bytes);
    if (!chunk)
      return std::move(chunk).error();
    if (*chunk) {
      send_chunk(connection, client, **chunk);
      return {};
    }
    auto frame = spark::take_frame(bytes, question_bytes_max);
    if (!frame)
      return std::move(frame).error();
    // What nobody waits for an answer to is of no use here.
    if (*frame && (*frame)->type == spark::FrameType::rpc_request)
      answer(connection, client, **frame);
    return {};
  }

  void answer(FrameConnection& connection, Client& client,
              const spark::Frame& question) {
    auto message = spark::read_block_message(question.body);
    auto fetches
        = message && std::holds_alternative<spark::FetchBlocks>(*message);
    auto reply
        = message ? std::visit(
              [&](auto& x) { return on(client, std::move(x)); }, *message)
                  : Result<std::string>{std::move(message).error()};
    std::string out;
    if (reply) {
      // It knows an application and an executor of this machine.
      if (fetches && !client.is_of_this_machine)
        connection.accept();
      spark::append_frame(
          out, {spark::FrameType::rpc_response, question.request_id, *reply});
    } else {
      refusals_.warn(reply.error().message);
      spark::append_frame(out, {spark::FrameType::rpc_failure,
                                question.request_id, reply.error().message});
    }
    connection.send(std::move(out));
  }

  void send_chunk(FrameConnection& connection, Client& client,
                  const spark::ChunkRequest& x) {
    auto segment = take_block(client, x);
    if (segment) {
      auto header = spark::chunk_header(x, segment->length);
      connection.send_with_file(std::move(header), *std::move(segment));
      return;
    }
    refusals_.warn(segment.error().message);
    connection.send(spark::chunk_failure(x, segment.error().message));
  }

  /// The block of a chunk. A stream ends with its last one.
  Result<FileSegment> take_block(Client& client, const spark::ChunkRequest& x) {
    auto stream = client.streams.find(x.stream);
    auto chunk = static_cast<std::size_t>(x.chunk);
    if (stream == client.streams.end() || x.chunk < 0
        || chunk >= stream->second.blocks.size())
      return Error{Errc::not_found,
                   "there is no chunk " + std::to_string(x.chunk)
                       + " of a stream " + std::to_string(x.stream)};
    const auto& [where, blocks] = stream->second;
    auto result = find_block(where, blocks[chunk]);
    if (chunk + 1 == blocks.size()) {
      blocks_ -= blocks.size();
      client.streams.erase(stream);
    }
    return result;
  }

  // -- questions --------------------------------------------------------------

  Result<std::string> on(const Client& client,
                         const spark::RegisterShuffleExecutor& x) {
    if (!client.is_of_this_machine)
      return Error{Errc::not_allowed,
                   "executors of other machines have a shuffle service there"};
    if (auto added = registry_.add(x); !added)
      return added.error();
    spdlog::info("[shuffle-executor] {}/{} is served", x.app_id, x.exec_id);
    std::lock_guard lock{listener_mutex_};
    if (listener_)
      listener_({x.app_id});
    return std::string{};
  }

  Result<std::string> on(Client& client, spark::FetchBlocks&& x) {
    auto where = registry_.find(x.app_id, x.exec_id);
    if (!where)
      return std::move(where).error();
    if (blocks_ + x.blocks.size() > blocks_max)
      return Error{Errc::failed, "too many blocks are asked for and not read"};
    auto id = client.next_stream++;
    auto chunks = static_cast<int>(x.blocks.size());
    if (chunks > 0) {
      blocks_ += x.blocks.size();
      client.streams[id] = {**where, std::move(x.blocks)};
    }
    return spark::stream_handle(id, chunks);
  }

  Result<std::string> on(const Client& client, const spark::RemoveBlocks& x) {
    auto where = registry_.find(x.app_id, x.exec_id);
    if (!where)
      return std::move(where).error();
    // A driver may be elsewhere, but proves nothing.
    if (!client.is_of_this_machine)
      return Error{Errc::not_allowed,
                   "files are removed for programs of this machine only"};
    auto count = 0;
    for (const auto& name : x.files) {
      std::error_code error;
      if (is_plain_name(name) && fs::remove(shuffle_file(**where, name), error))
        ++count;
    }
    return spark::blocks_removed(count);
  }

  Result<std::string> on(const Client&, const spark::GetLocalDirectories& x) {
    std::map<std::string, std::vector<std::string>> result;
    for (const auto& id : x.exec_ids) {
      auto where = registry_.find(x.app_id, id);
      if (!where)
        return std::move(where).error();
      result[id] = (*where)->directories;
    }
    return spark::local_directories(result);
  }

  static Result<std::string> on(const Client&,
                                const spark::DiagnoseCorruption&) {
    return spark::unknown_cause();
  }

  static Result<std::string> on(const Client&,
                                const spark::OtherBlockMessage& x) {
    return invalid("this shuffle service has no use for a message of type "
                   + std::to_string(x.type)
                   + "; it does not merge blocks: set "
                     "spark.shuffle.push.enabled to false");
  }

  ShuffleRegistry registry_;
  std::mutex listener_mutex_;
  std::function<void(const AppId&)> listener_;
  std::function<Result<PeerTrust>(const FrameConnection&)> trust_;
  std::unordered_map<FrameConnection*, Client> clients_;

  /// Of all streams.
  std::size_t blocks_ = 0;
  LimitedLog refusals_{"shuffle-refused"};
};

Result<PeerTrust> trust_in_executor(const FrameConnection& x) {
  auto trust = trust_in(x.owner());
  if (trust == PeerTrust::own)
    return trust;
  if (x.owner())
    return Error{Errc::not_allowed,
                 "user " + user_name(*x.owner())
                     + " may not read what this worker's executors write"};
  if (is_loopback(x.peer().host))
    return Error{Errc::not_running, "it was closed by the peer"};
  return trust;
}

ShuffleService::ShuffleService(const ShuffleServiceConfig& config)
    : conversations_(std::make_unique<Conversations>(config)),
      server_(limits(),
              {[this](const auto& x) { conversations_->opened(x); },
               [this](const auto& x, std::string_view frame) {
                 conversations_->received(x, frame);
               },
               [this](const auto& x, const std::string&) {
                 conversations_->closed(x);
               },
               [this](const auto& x) { return conversations_->admit(x); },
               {},
               [this](const auto&, std::string_view begin) {
                 return conversations_->knows(begin);
               }}) {
}

// NOLINTNEXTLINE(bugprone-exception-escape): it throws where threads are of no use
ShuffleService::~ShuffleService() {
  server_.stop();
}

void ShuffleService::report_to(std::function<void(const AppId&)> listener) {
  conversations_->report_to(std::move(listener));
}

Result<std::unique_ptr<ShuffleService>>
ShuffleService::start(const ShuffleServiceConfig& config) {
  std::unique_ptr<ShuffleService> result{new ShuffleService{config}};
  auto bound = result->server_.listen(config.listen.host, config.listen.port);
  if (!bound)
    return std::move(bound).error();
  result->port_ = *bound;
  spdlog::info("[shuffle-listening] Spark's executors find their shuffle "
               "service at {}",
               to_string(SocketAddress{config.listen.host, *bound}));
  return result;
}

} // namespace stoker
