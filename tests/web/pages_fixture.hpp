#pragma once

#include <memory>
#include <optional>
#include <string>

#include <boost/json/parse.hpp>

#include "actors/history.hpp"
#include "actors/master.hpp"
#include "tests/actors/recorders.hpp"
#include "tests/support/deterministic_system.hpp"
#include "web/cluster_pages.hpp"

namespace stoker::test {

/// A master, its feed, and the pages beside it.
struct PagesFixture : DeterministicSystem {
  FeedActor feed = spawn(stoker::feed, std::size_t{100});
  std::shared_ptr<MasterMetrics> metrics = std::make_shared<MasterMetrics>();
  MasterActor master;
  ClusterPagesActor pages;
  WorkerRecordPtr record = std::make_shared<WorkerRecord>();
  WorkerActor worker = spawn(worker_recorder, record);
  std::optional<HttpResponse> response;
  bool has_public_metrics = false;

  /// No answer is given again, however long it took to make it on this machine.
  static constexpr int never_of_use = 0;

  /// What every request has, besides what it is about.
  HttpRequest base;

  /// Where requests come from: nobody has that end any more.
  SocketAddress peer{"127.0.0.1", 2};

  void start(SparkUsers users = SparkUsers::any) {
    MasterServices services;
    services.feed = feed;
    services.metrics = metrics;
    services.history = spawn(history, HistoryConfig{feed, {}, {}});
    master = spawn(stoker::master, ClusterConfig{}, std::move(services));
    show(master, users);
  }

  void show(const MasterActor& of, SparkUsers users = SparkUsers::any) {
    pages
        = spawn(cluster_pages,
                ClusterPagesConfig{feed, of, "spark://127.0.0.1:7077",
                                   "stoker://127.0.0.1:7070", users, metrics,
                                   has_public_metrics, nullptr, never_of_use});
  }

  void register_worker(const std::string& id) {
    caf::send_as(
        caf::actor_cast<caf::actor>(worker), master,
        RegisterWorker{WorkerId{id}, EndpointId{id}, "h1", 0, 4, 4096});
    scheduler.run();
  }

  void send(const std::string& method, const std::string& target,
            const std::string& body = {}, const std::string& accept = {}) {
    response.reset();
    HttpRequest request = base;
    request.accept = accept;
    request.method = method;
    auto mark = target.find('?');
    request.path = target.substr(0, mark);
    if (mark != std::string::npos)
      request.query = target.substr(mark + 1);
    request.body = body;
    request.here = {"127.0.0.1", 1};
    request.peer = peer;
    caf::anon_send(pages, AnswerPage{request, std::make_shared<HttpReply>(
                                                  [this](HttpResponse x) {
                                                    response = std::move(x);
                                                  })});
    scheduler.run();
  }

  void get(const std::string& target, const std::string& accept = {}) {
    send("GET", target, {}, accept);
  }

  /// A reader takes all that he is sent; no time passes.
  void take_all(HttpStream& stream) {
    while (stream.unsent() > 0) {
      stream.sent(stream.unsent());
      scheduler.run();
    }
  }

  /// The same, as time passes.
  void take_all_for(HttpStream& stream, std::chrono::milliseconds time) {
    constexpr std::chrono::milliseconds step{100};
    for (auto left = time; left > left.zero(); left -= step) {
      take_all(stream);
      advance(step);
    }
    take_all(stream);
  }

  boost::json::object read(const std::string& path = "/json/") {
    get(path);
    REQUIRE(response);
    REQUIRE(response->status == 200);
    return boost::json::parse(*response->body).as_object();
  }
};

} // namespace stoker::test
