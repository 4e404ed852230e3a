#include "scheduling/registration/registration.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace stoker {

Registration::Registration(RegistrationConfig config)
    : config_(config), random_(config.seed) {
  assert(config_.masters > 0 && config_.first_pause > Duration::zero());
}

Registration::Action Registration::start(Instant now) {
  return search(now);
}

Registration::Action Registration::connected(Instant now) {
  if (phase_ != Phase::connecting)
    return {};
  phase_ = Phase::registering;
  due_ = now + config_.answer_timeout;
  return Register{};
}

Registration::Action Registration::failed(Instant now,
                                          const std::string& reason,
                                          MasterFailure failure) {
  if (phase_ == Phase::idle || phase_ == Phase::over
      || phase_ == Phase::pausing)
    return {};
  if (phase_ == Phase::registered)
    return search(now);
  round_.add(reason, failure);
  master_ = (master_ + 1) % config_.masters;
  if (++failures_in_round_ < config_.masters)
    return connect();
  failures_in_round_ = 0;
  auto round = std::exchange(round_, {});
  auto is_hopeless = config_.gives_up_when_untrusted && !was_registered_
                     && round.is_hopeless();
  if (is_hopeless || now - searching_since_ >= config_.give_up_after) {
    stop();
    return GiveUp{round.reasons()};
  }
  failed_round_ = round.reasons();
  phase_ = Phase::pausing;
  // Between half of the pause and all of it.
  auto half = static_cast<std::size_t>(pause_.count() / 2);
  auto jitter = static_cast<Duration::rep>(random_.below(half + 1));
  due_ = std::min(now + pause_ - Duration{jitter},
                  searching_since_ + config_.give_up_after);
  pause_ = std::min(pause_ * 2, config_.longest_pause);
  return {};
}

void Registration::registered() {
  if (phase_ != Phase::registering)
    return;
  phase_ = Phase::registered;
  was_registered_ = true;
  failed_round_.clear();
  due_.reset();
}

Registration::Action Registration::register_again(Instant now) {
  if (phase_ != Phase::registered)
    return {};
  begin_search(now);
  phase_ = Phase::registering;
  due_ = now + config_.answer_timeout;
  return Register{};
}

void Registration::stop() {
  phase_ = Phase::over;
  due_.reset();
}

Registration::Action Registration::tick(Instant now) {
  if (!due_ || *due_ > now)
    return {};
  if (phase_ == Phase::registering)
    return failed(now, "the master does not answer");
  if (phase_ == Phase::pausing)
    return connect();
  return {};
}

Registration::Action Registration::connect() {
  phase_ = Phase::connecting;
  due_.reset();
  return Connect{master_};
}

Registration::Action Registration::search(Instant now) {
  begin_search(now);
  return connect();
}

void Registration::begin_search(Instant now) {
  searching_since_ = now;
  failures_in_round_ = 0;
  round_ = {};
  failed_round_.clear();
  pause_ = config_.first_pause;
}

} // namespace stoker
