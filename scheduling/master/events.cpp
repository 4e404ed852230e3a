#include "scheduling/master/events.hpp"

namespace stoker {

namespace {

struct SenderOf {
  const EndpointId* operator()(const RegisterWorker& x) const {
    return &x.worker;
  }
  const EndpointId* operator()(const Heartbeat& x) const {
    return &x.worker;
  }
  const EndpointId* operator()(const WorkerDecommissioning& x) const {
    return &x.worker_ref;
  }
  const EndpointId* operator()(const WorkerLeft& x) const {
    return &x.worker;
  }
  const EndpointId* operator()(const RegisterApplication& x) const {
    return &x.driver;
  }
  const EndpointId* operator()(const ApplicationHeartbeat& x) const {
    return &x.driver;
  }
  const EndpointId* operator()(const MasterChangeAcknowledged& x) const {
    return &x.driver;
  }
  template <class Other>
  const EndpointId* operator()(const Other&) const {
    static const EndpointId nobody;
    return &nobody;
  }
};

} // namespace

bool is_request(const Event& x) {
  return std::visit(
      [](const auto& event) {
        using T = std::remove_cvref_t<decltype(event)>;
        return !std::is_void_v<typename AnswerTo<T>::type>;
      },
      x);
}

const EndpointId& sender_of(const Event& x) {
  return *std::visit(SenderOf{}, x);
}

std::optional<ConnectionStamp> stamp_of(const Event& x) {
  if (const auto* worker = std::get_if<RegisterWorker>(&x))
    return worker->stamp;
  if (const auto* application = std::get_if<RegisterApplication>(&x))
    return application->stamp;
  return std::nullopt;
}

} // namespace stoker
