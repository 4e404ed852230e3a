#include "actors/master_speech.hpp"

namespace stoker {

namespace {

/// Completes a message with what the Cluster knows now.
class Writer {
public:
  Writer(const Cluster& cluster, std::vector<MasterSpeech::Message>& out)
      : cluster_(cluster), out_(out) {
  }

  void operator()(Send& x) const {
    out_.emplace_back(std::move(x));
  }

  void operator()(StartExecutor& x) const {
    // An application may have ended in the step that started its executor.
    if (const auto* description = cluster_.description(x.app_id))
      out_.emplace_back(std::pair{
          std::move(x.to),
          LaunchExecutor{cluster_.config().master_url, std::move(x.app_id),
                         x.exec_id, *description, x.cores, x.memory_mb, x.index,
                         std::move(x.resources)}});
  }

  void operator()(StartDriver& x) const {
    if (const auto* description = cluster_.driver_description(x.driver_id))
      out_.emplace_back(std::pair{
          std::move(x.to), LaunchDriver{std::move(x.driver_id), *description,
                                        std::move(x.resources)}});
  }

  // The rest is not said to peers.
  void operator()(const Reply&) const {
  }
  void operator()(const WakeAt&) const {
  }
  void operator()(const Persist&) const {
  }

private:
  const Cluster& cluster_;
  std::vector<MasterSpeech::Message>& out_;
};

} // namespace

std::vector<MasterSpeech::Message> messages_of(const Cluster& cluster,
                                               Effects& effects) {
  std::vector<MasterSpeech::Message> result;
  Writer writer{cluster, result};
  for (auto& effect : effects)
    std::visit(writer, effect);
  return result;
}

} // namespace stoker
