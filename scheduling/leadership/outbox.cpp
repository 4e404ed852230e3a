#include "scheduling/leadership/outbox.hpp"

#include <utility>

#include "scheduling/common/instance_command.hpp"
#include "scheduling/master/snapshot.hpp"

namespace stoker {

namespace {

/// Completes the messages of one step.
class Completion {
public:
  Completion(const Cluster& cluster, const Connections& connections,
             RequestNumber request, std::vector<Outbox::Item>& out)
      : cluster_(cluster), connections_(connections), request_(request),
        out_(out) {
  }

  void operator()(Send&& x) const {
    send(x.to, [&] { return std::move(x.message); });
  }

  void operator()(StartExecutor&& x) const {
    // An application may have ended in the step that started its executor.
    if (const auto* description = find_description(cluster_.state(), x.app_id))
      send(x.to, [&] {
        return LaunchExecutor{cluster_.config().master_url,
                              std::move(x.app_id),
                              x.exec_id,
                              of_instance(*description, x.index),
                              x.cores,
                              x.memory_mb,
                              x.index,
                              std::move(x.resources)};
      });
  }

  void operator()(StartDriver&& x) const {
    if (const auto* description
        = find_description(cluster_.state(), x.driver_id))
      send(x.to, [&] {
        LaunchDriver result{std::move(x.driver_id), *description,
                            std::move(x.resources)};
        // What comes before and after is nothing to its worker.
        result.driver_desc.after.clear();
        result.driver_desc.on_end.reset();
        return result;
      });
  }

  void operator()(Reply&& x) {
    if (request_ != 0)
      out_.emplace_back(Outbox::Response{request_, {std::move(x.answer)}});
    answered_ = true;
  }

  void finish() const {
    if (request_ != 0 && !answered_)
      out_.emplace_back(Outbox::Response{request_, not_alive()});
  }

private:
  /// Completes a message only if it has a receiver.
  template <class Make>
  void send(const EndpointId& to, Make&& make) const {
    if (auto peer = connections_.find(to))
      out_.emplace_back(Outbox::Message{*peer, make()});
  }

  const Cluster& cluster_;
  const Connections& connections_;
  RequestNumber request_;
  std::vector<Outbox::Item>& out_;
  bool answered_ = false;
};

} // namespace

Outbox make_outbox(const Cluster& cluster, const Connections& connections,
                   OutgoingMessages&& messages, RequestNumber request) {
  Outbox result;
  result.epoch = cluster.epoch();
  Completion complete{cluster, connections, request, result.items};
  for (auto& message : messages)
    std::visit([&](auto& x) { complete(std::move(x)); }, message);
  complete.finish();
  return result;
}

Error not_alive(const std::string& why) {
  return {Errc::not_alive, "the master is STANDBY: another one leads, or none"
                               + (why.empty() ? why : " (" + why + ")")};
}

} // namespace stoker
