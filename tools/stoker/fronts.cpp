#include "tools/stoker/fronts.hpp"

#include <chrono>
#include <utility>

#include <spdlog/spdlog.h>

#include "network/open_acceptor.hpp"
#include "tools/stoker/command_error.hpp"
#include "tools/stoker/exit_codes.hpp"

namespace stoker {

namespace {

/// Before a service manager has started again who had the port: that one stands by then.
constexpr std::chrono::milliseconds looked_at_every{250};

} // namespace

Fronts::Fronts(const MasterOptions& options, Services services)
    : options_(options), services_(std::move(services)) {
}

void Fronts::open() {
  if (auto spark = options_.spark.config(options_.host))
    open({spark->listen.host, spark->listen.port, !options_.spark.port,
          [this] { return open_spark(); },
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
                  spark_url(), options_.spark.allowed(), services_.metrics,
                  services_.network->credentials(), web.has_public_metrics});
  if (web.has_pages())
    open({web.web_host, web.pages_port(), !web.web_port,
          [this] { return options_.web.open_pages(*web_); },
          [](const std::string& why) {
            spdlog::warn("[web-port-taken] {}; this master shows no pages "
                         "before it is free (--web-port chooses another port, "
                         "or 0 for none)",
                         why);
          }});
  if (web.has_submissions())
    open({WebOptions::rest_host, web.submissions_port(), !web.rest_port,
          [this] { return options_.web.open_submissions(*web_); },
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
  if (opened)
    return;
  if (opened.code() != Errc::in_use || !x.is_default)
    require_ok(exit_failure, opened);
  x.warn(opened.error().message);
  missing_.push_back(std::move(x));
}

void Fronts::open_missing() {
  std::erase_if(missing_, [](const Port& x) {
    // To look is cheap; to open it makes threads first.
    return try_port(x.host, x.number) && x.open();
  });
}

Status Fronts::open_spark() {
  auto opened
      = options_.spark.open(services_.network->system(), services_.master,
                            services_.feed, options_.host);
  if (!opened)
    return std::move(opened).error();
  spark_ = *std::move(opened);
  if (web_)
    web_->set_spark_url(spark_->url());
  return {};
}

} // namespace stoker
