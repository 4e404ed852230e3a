#include "simulation/command_line.hpp"

#include <utility>

#include "simulation/master_process.hpp"
#include "simulation/referee.hpp"

namespace stoker::simulation {

namespace {

constexpr Duration patience = std::chrono::seconds{10};
constexpr Duration breath = std::chrono::milliseconds{500};

/// A master in STANDBY refuses what others would take.
bool is_refused_by_standby(const Answer& x) {
  const auto* y = std::get_if<SubmitDriverResponse>(&x);
  return y != nullptr && !y->success
         && y->message.find("STANDBY") != std::string::npos;
}

} // namespace

CommandLine::CommandLine(EventQueue& queue, Network& network,
                         std::vector<MasterProcess*> masters, Referee& referee)
    : Peer(queue, "command-line"), network_(network),
      masters_(std::move(masters)), referee_(referee) {
  begin_life();
}

void CommandLine::request(Event x) {
  auto number = next_++;
  open_[number] = {std::move(x), 0};
  referee_.asked(open_[number].what);
  attempt(number);
}

void CommandLine::attempt(std::uint64_t number) {
  auto i = open_.find(number);
  if (i == open_.end())
    return;
  auto n = ++i->second.attempts;
  auto& master = *masters_[n % masters_.size()];
  network_.connect(*this, master, [this, number, n](const LinkPtr& link) {
    if (link)
      ask(number, n, link);
    else
      after(breath, [=, this] { try_again(number, n); });
  });
}

void CommandLine::ask(std::uint64_t number, std::size_t attempt,
                      const LinkPtr& link) {
  auto i = open_.find(number);
  if (i == open_.end() || i->second.attempts != attempt)
    return;
  network_.say(link, i->second.what, number);
  after(patience, [=, this] { try_again(number, attempt); });
}

void CommandLine::try_again(std::uint64_t number, std::size_t attempt_then) {
  auto i = open_.find(number);
  if (i != open_.end() && i->second.attempts == attempt_then)
    attempt(number);
}

void CommandLine::hear(const LinkPtr&, LeaderEpoch, const Statement& x) {
  const auto* answered = std::get_if<Answered>(&x);
  // What a master that steps down says to all.
  if (answered == nullptr)
    return;
  auto i = open_.find(answered->request);
  if (i == open_.end())
    return;
  if (!answered->answer || is_refused_by_standby(*answered->answer)) {
    auto n = i->second.attempts;
    after(breath,
          [=, this, number = answered->request] { try_again(number, n); });
    return;
  }
  auto what = std::move(i->second.what);
  open_.erase(i);
  referee_.answered(what, *answered->answer);
}

void CommandLine::link_broke(const LinkPtr&) {
}

} // namespace stoker::simulation
