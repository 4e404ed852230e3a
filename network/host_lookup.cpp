#include "network/host_lookup.hpp"

#include <signal.h>

#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>

namespace stoker {

namespace {

using boost::asio::ip::tcp;

Error unknown_host(const std::string& why) {
  return {Errc::not_alive, why};
}

/// Returns an error in place of an exception, which would end the process in a detached thread.
Result<HostEndpoints> found_by(const LookUp& look_up, const std::string& host,
                               std::uint16_t port) {
  try {
    return look_up(host, port);
  } catch (const std::exception& e) {
    return unknown_host(e.what());
  }
}

} // namespace

Result<HostEndpoints> look_up_by_system(const std::string& host,
                                        std::uint16_t port) {
  boost::asio::io_context context;
  boost::system::error_code error;
  auto found
      = tcp::resolver{context}.resolve(host, std::to_string(port), error);
  if (error)
    return unknown_host(error.message());
  HostEndpoints result;
  for (const auto& x : found)
    result.push_back(x.endpoint());
  return result;
}

struct HostLookup::Waiting {
  std::mutex mutex;

  /// Null: nobody waits any more.
  Done done;

  void tell(Result<HostEndpoints> found) {
    std::lock_guard guard{mutex};
    if (auto told = std::exchange(done, nullptr))
      told(std::move(found));
  }
};

HostLookup::HostLookup(std::shared_ptr<Waiting> waiting)
    : waiting_(std::move(waiting)) {
}

std::shared_ptr<HostLookup> HostLookup::start(const LookUp& look_up,
                                              const std::string& host,
                                              std::uint16_t port, Done done) {
  auto waiting = std::make_shared<Waiting>();
  waiting->done = std::move(done);
  std::shared_ptr<HostLookup> result{new HostLookup{waiting}};
  boost::system::error_code error;
  auto address = boost::asio::ip::make_address(host, error);
  if (!error) {
    waiting->tell(HostEndpoints{{address, port}});
    return result;
  }
  // Signals are for other threads.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  try {
    std::thread{[=] { waiting->tell(found_by(look_up, host, port)); }}.detach();
  } catch (const std::system_error& e) {
    waiting->tell(unknown_host(e.what()));
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return result;
}

void HostLookup::abandon() {
  Done abandoned;
  std::lock_guard guard{waiting_->mutex};
  abandoned = std::exchange(waiting_->done, nullptr);
}

} // namespace stoker
