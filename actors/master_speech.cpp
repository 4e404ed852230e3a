#include "actors/master_speech.hpp"
#include "scheduling/master/snapshot.hpp"

namespace stoker {

namespace {

/// Completes messages with what the Cluster knows now.
class Writer {
public:
  Writer(const Cluster& cluster, const Connections& connections,
         std::vector<Outbox::Message>& out)
      : cluster_(cluster), connections_(connections), out_(out) {
  }

  void operator()(Send& x) const {
    say(x.to, std::move(x.message));
  }

  void operator()(StartExecutor& x) const {
    // An application may have ended in the step that started its executor.
    if (const auto* description = find_description(cluster_.state(), x.app_id))
      say(x.to,
          LaunchExecutor{cluster_.config().master_url, std::move(x.app_id),
                         x.exec_id, *description, x.cores, x.memory_mb, x.index,
                         std::move(x.resources)});
  }

  void operator()(StartDriver& x) const {
    if (const auto* description
        = find_description(cluster_.state(), x.driver_id))
      say(x.to, LaunchDriver{std::move(x.driver_id), *description,
                             std::move(x.resources)});
  }

  void operator()(const Reply&) const {
    // Goes to the one who asked.
  }

private:
  template <class Message>
  void say(const EndpointId& to, Message&& message) const {
    auto i = connections_.find(to);
    if (i != connections_.end())
      out_.push_back({i->second, std::forward<Message>(message)});
  }

  const Cluster& cluster_;
  const Connections& connections_;
  std::vector<Outbox::Message>& out_;
};

} // namespace

std::vector<Outbox::Message> messages_of(const Cluster& cluster,
                                         const Connections& connections,
                                         OutgoingMessages& messages) {
  std::vector<Outbox::Message> result;
  Writer writer{cluster, connections, result};
  for (auto& message : messages)
    std::visit(writer, message);
  return result;
}

} // namespace stoker
