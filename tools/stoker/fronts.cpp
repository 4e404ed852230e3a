#include "tools/stoker/fronts.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include <spdlog/spdlog.h>

#include "network/connection_owner.hpp"
#include "network/open_acceptor.hpp"
#include "tools/stoker/command_error.hpp"
#include "tools/stoker/exit_codes.hpp"
#include "tools/stoker/port_holder.hpp"

namespace stoker {

namespace {

/// Before a service manager has started again who had the port: that one stands by then.
constexpr std::chrono::milliseconds looked_at_every{250};

/// How long a port may be taken by a process that does not listen.
constexpr std::chrono::milliseconds holder_patience{1'000};
constexpr std::chrono::milliseconds holder_asked_every{50};

} // namespace

Fronts::Fronts(const MasterOptions& options, Services services)
    : options_(options), services_(std::move(services)) {
}

void Fronts::open() {
  if (auto spark = options_.spark.config(options_.host))
    open({spark->listen.host, spark->listen.port, !options_.spark.port,
          "--spark-port", [this] { return open_spark(); },
          [](const std::string& why) {
            spdlog::warn("[spark-port-taken] {}; Spark's programs cannot use "
                         "this master before it is free (--spark-port chooses "
                         "another port, or 0 for none)",
                         why);
          }});
  const auto& web = options_.web;
  if (!web.has_pages() && !web.has_submissions())
    return;
  web_ = std::make_unique<WebServer>(
      services_.network->system(),
      WebServices{services_.master, services_.feed, services_.master_url,
                  spark_url(), web.allowed(), services_.metrics,
                  services_.network->credentials(), web.has_public_metrics,
                  web.settings.is_reverse_proxy, web.settings.reverse_proxy_url,
                  options_.spark.allowed() == SparkUsers::any
                      || options_.network.insecure});
  if (web.has_pages())
    open({web.web_host, web.pages_port(), !web.web_port, "--web-port",
          [this] { return open_pages(); },
          [](const std::string& why) {
            spdlog::warn("[web-port-taken] {}; this master shows no pages "
                         "before it is free (--web-port chooses another port, "
                         "or 0 for none)",
                         why);
          }});
  if (web.has_submissions())
    open({WebOptions::rest_host, web.submissions_port(), !web.rest_port,
          "--rest-port", [this] { return open_submissions(); },
          [](const std::string& why) {
            spdlog::warn("[web-port-taken] {}; this master takes no "
                         "submissions over HTTP before it is free (--rest-port "
                         "chooses another port, or 0 for none)",
                         why);
          }});
}

std::string Fronts::spark_url() const {
  return spark_ ? spark_->url() : std::string{};
}

int Fronts::wait(const StopSignal& stop) {
  while (!missing_.empty()) {
    if (auto signal = stop.wait_for(looked_at_every))
      return *signal;
    open_missing();
  }
  return stop.wait();
}

void Fronts::open(Port x) {
  auto opened = x.open();
  // A process that has bound a port listens soon, or has left it.
  const auto give_up = std::chrono::steady_clock::now() + holder_patience;
  auto holder = holder_of_port(x.host, x.number);
  while (opened.code() == Errc::in_use && x.is_default && !holder
         && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(holder_asked_every);
    opened = x.open();
    holder = holder_of_port(x.host, x.number);
  }
  if (opened)
    return look_at_name(x);
  if (opened.code() != Errc::in_use)
    require_ok(exit_failure, opened);
  const auto* danger = x.is_default
                           ? ", and programs that look for a master there "
                             "would find that process"
                           : "";
  if (!x.is_default || trust_in(holder) != PeerTrust::own)
    throw CommandError{exit_failure, opened.error().message + ": "
                                         + holder_text(holder)
                                         + " has this port" + danger
                                         + "; choose another port with "
                                         + x.option + ", or 0 for none"};
  x.warn(opened.error().message);
  missing_.push_back(std::move(x));
}

void Fronts::open_missing() {
  std::erase_if(missing_, [](Port& x) {
    // To look is cheap; to open it makes threads first.
    if (!try_port(x.host, x.number)) {
      look_for_others(x);
      return false;
    }
    if (!x.open())
      return false;
    look_at_name(x);
    return true;
  });
}

void Fronts::look_for_others(Port& x) {
  auto holder = holder_of_port(x.host, x.number);
  if (!holder || trust_in(holder) == PeerTrust::own || x.is_foreign)
    return;
  x.is_foreign = true;
  spdlog::error("[port-of-another-user] {} has port {} of {}, and programs "
                "that look for a master there find that process",
                holder_text(holder), x.number, x.host);
}

void Fronts::look_at_name(const Port& x) {
  constexpr const char* first_address = "::1";
  if (x.host != "127.0.0.1" || x.number == 0)
    return;
  auto holder = owner_of_listener({first_address, x.number});
  if (!holder || trust_in(holder) == PeerTrust::own)
    return;
  spdlog::error("[port-of-another-user] {} has port {} of {}, and programs "
                "that look for a master at 'localhost' may find that process: "
                "name 127.0.0.1, or choose another port with {}",
                holder_text(holder), x.number, first_address, x.option);
}

Status Fronts::open_pages() {
  auto opened = options_.web.open_pages(*web_);
  if (!opened)
    return std::move(opened).error();
  pages_url_ = *std::move(opened);
  if (spark_)
    spark_->set_pages_url(pages_url_);
  return {};
}

Status Fronts::open_submissions() {
  auto opened = options_.web.open_submissions(*web_);
  if (!opened)
    return std::move(opened).error();
  submissions_url_ = *std::move(opened);
  if (spark_)
    spark_->set_submissions_url(submissions_url_);
  return {};
}

Status Fronts::open_spark() {
  auto opened
      = options_.spark.open(services_.network->system(), services_.master,
                            services_.feed, options_.host);
  if (!opened)
    return std::move(opened).error();
  spark_ = *std::move(opened);
  spark_->set_pages_url(pages_url_);
  spark_->set_submissions_url(submissions_url_);
  if (web_)
    web_->set_spark_url(spark_->url());
  return {};
}

} // namespace stoker
