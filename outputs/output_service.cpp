#include "outputs/output_service.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <future>
#include <mutex>
#include <optional>
#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "network/application_tls.hpp"
#include "network/door_threads.hpp"
#include "network/open_acceptor.hpp"
#include "outputs/output_connection.hpp"
#include "outputs/served_applications.hpp"

namespace stoker {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// When the system has no descriptor left, some are closed soon.
constexpr std::chrono::milliseconds pause_after_failure{50};

/// Descriptors that are for something else, and those of a connection: its socket
/// and the file that it reads.
constexpr std::size_t reserved_descriptors = 256;
constexpr std::size_t descriptors_each = 2;

std::size_t possible_connections(const OutputLimits& limits) {
  rlimit descriptors{};
  ::getrlimit(RLIMIT_NOFILE, &descriptors);
  auto all = static_cast<std::size_t>(descriptors.rlim_cur);
  auto others = reserved_descriptors + limits.handshakes_max;
  auto possible = all > others ? (all - others) / descriptors_each : 0;
  return std::min(limits.connections_max, std::max<std::size_t>(possible, 16));
}

} // namespace

class OutputService::Implementation {
public:
  Implementation(std::string host,
                 std::unique_ptr<ServedApplications> applications,
                 const OutputLimits& limits)
      : host_(std::move(host)), applications_(std::move(applications)),
        serving_(new OutputServing{
            limits,
            application_server_context(
                [x = applications_.get()](const AppId& app) {
                  return x->secret_of(app);
                }),
            ConnectionTable{{possible_connections(limits),
                             limits.connections_per_application,
                             limits.handshakes_max}},
            IndexCache{limits.index_cache_bytes},
            LimitedLog{"output-reader-refused"},
            [x = applications_.get()](const AppId& app) {
              return x->directory_of(app);
            }}),
        threads_(limits.threads), context_(threads_.next()),
        acceptor_(context_), pause_(context_) {
  }

  // NOLINTNEXTLINE(bugprone-exception-escape): it throws where threads are of no use
  ~Implementation() {
    std::promise<void> closed;
    asio::post(context_, [&] {
      error_code ignored;
      acceptor_.close(ignored);
      pause_.cancel();
      serving_->connections.close_all();
      closed.set_value();
    });
    closed.get_future().wait();
    // Connections leave by themselves, but for one that was just accepted.
    threads_.stop(std::chrono::seconds{1});
  }

  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  Status listen(std::uint16_t port) {
    auto opened = open_acceptor(context_, host_, port);
    if (!opened)
      return Error{opened.code(),
                   "cannot serve outputs: " + opened.error().message};
    acceptor_ = std::move(*opened);
    error_code error;
    port_ = acceptor_.local_endpoint(error).port();
    asio::post(context_, [this] { accept(); });
    return {};
  }

  std::string host_;
  std::unique_ptr<ServedApplications> applications_;
  std::shared_ptr<OutputServing> serving_;
  std::uint16_t port_ = 0;

private:
  void accept() {
    acceptor_.async_accept(threads_.next(),
                           [this](error_code error, tcp::socket socket) {
                             if (!acceptor_.is_open())
                               return;
                             if (error)
                               return accept_later();
                             welcome(std::move(socket));
                             accept();
                           });
  }

  void accept_later() {
    pause_.expires_after(pause_after_failure);
    pause_.async_wait([this](error_code error) {
      if (!error && acceptor_.is_open())
        accept();
    });
  }

  void welcome(tcp::socket socket) {
    error_code ignored;
    socket.set_option(tcp::no_delay{true}, ignored);
    socket.set_option(asio::socket_base::keep_alive{true}, ignored);
    socket.non_blocking(true, ignored);
    auto executor = socket.get_executor();
    auto connection
        = std::make_shared<OutputConnection>(serving_, std::move(socket));
    asio::post(executor, [connection] { connection->begin(); });
  }

  DoorThreads threads_;
  asio::io_context& context_;
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
};

OutputService::OutputService(std::unique_ptr<Implementation> x)
    : implementation_(std::move(x)) {
}

OutputService::~OutputService() = default;

Result<std::unique_ptr<OutputService>>
OutputService::start(const std::string& host, std::uint16_t port,
                     const std::filesystem::path& data_directory,
                     OutputLimits limits) {
  std::error_code error;
  auto absolute = std::filesystem::absolute(data_directory, error);
  auto applications = ServedApplications::open(absolute, limits.quota_bytes);
  if (!applications)
    return std::move(applications).error();
  auto implementation = std::make_unique<Implementation>(
      host, *std::move(applications), limits);
  if (auto good = implementation->listen(port); !good)
    return std::move(good).error();
  return std::unique_ptr<OutputService>{
      new OutputService{std::move(implementation)}};
}

std::uint16_t OutputService::port() const noexcept {
  return implementation_->port_;
}

const std::vector<AppId>& OutputService::found() const noexcept {
  return implementation_->applications_->found();
}

Result<OutputServer> OutputService::serve(const AppId& app,
                                          const ApplicationSecret& secret) {
  auto location = implementation_->applications_->add(app, secret);
  if (!location)
    return std::move(location).error();
  return OutputServer{implementation_->host_, implementation_->port_,
                      location->directory.string(), location->server_id};
}

void OutputService::writer_ended(const AppId& app, int exec_id) {
  implementation_->applications_->writer_ended(app, exec_id);
}

void OutputService::remove_stage(const AppId& app, StageId stage) {
  implementation_->applications_->remove_stage(
      app, stage, [serving = implementation_->serving_, app, stage] {
        serving->indexes.forget(app, stage);
      });
}

void OutputService::stop_serving(const AppId& app) {
  implementation_->applications_->remove(app);
  implementation_->serving_->connections.close(app);
  implementation_->serving_->indexes.forget(app);
}

std::uint64_t OutputService::used(const AppId& app) const {
  return implementation_->applications_->used(app);
}

std::size_t OutputService::connections() const {
  return implementation_->serving_->connections.size();
}

} // namespace stoker
