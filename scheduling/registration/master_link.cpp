#include "scheduling/registration/master_link.hpp"

#include <algorithm>

namespace stoker {

namespace {

/// What a master says of itself may differ each time.
constexpr std::size_t failures_max = 16;

} // namespace

MasterLink::MasterLink(RegistrationConfig config) : registration_(config) {
}

MasterLink::Action MasterLink::start(Instant now) {
  return act(registration_.start(now));
}

MasterLink::Action MasterLink::on(Instant now, const MasterConnected& x) {
  if (!is_present(x))
    return {};
  connected_ = true;
  return act(registration_.connected(now));
}

MasterLink::Action MasterLink::on(Instant now,
                                  const MasterConnectionFailed& x) {
  if (!is_present(x))
    return {};
  if (is_new_failure(x))
    failures_.insert(x.reason);
  return act(registration_.failed(now, x.reason, x.failure));
}

MasterLink::Action MasterLink::on(Instant now, const MasterDisconnected& x) {
  if (!is_present(x))
    return {};
  connected_ = false;
  ++breaks_;
  return act(registration_.failed(now, connection_broke));
}

bool MasterLink::is_new_failure(const MasterConnectionFailed& x) const {
  return is_present(x) && failures_.size() < failures_max
         && !failures_.contains(x.reason);
}

MasterLink::Admission MasterLink::admit(const MessageOrigin& from) {
  if (!connected_ || !is_present(from))
    return Admission::ignore;
  if (from.epoch != LeaderEpoch{} && from.epoch < epoch_)
    return Admission::search_on;
  epoch_ = std::max(epoch_, from.epoch);
  return Admission::accept;
}

void MasterLink::registered() {
  registration_.registered();
  failures_.clear();
  breaks_ = 0;
}

MasterLink::Action MasterLink::search_on(Instant now,
                                         const std::string& reason) {
  ++breaks_;
  return act(registration_.failed(now, reason));
}

MasterLink::Action MasterLink::register_again(Instant now) {
  return act(registration_.register_again(now));
}

void MasterLink::stop_searching() {
  registration_.stop();
}

MasterLink::Action MasterLink::tick(Instant now) {
  return act(registration_.tick(now));
}

MasterLink::Action MasterLink::act(const Registration::Action& x) {
  if (const auto* connect = std::get_if<Registration::Connect>(&x)) {
    connected_ = false;
    return ConnectToMaster{connect->master, ++connection_};
  }
  if (std::holds_alternative<Register>(x))
    return Register{};
  if (const auto* over = std::get_if<GiveUp>(&x))
    return *over;
  return {};
}

std::string reason_of(const MasterInStandby& x) {
  return x.message.empty() ? master_in_standby : x.message;
}

} // namespace stoker
