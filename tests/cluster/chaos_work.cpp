// What users do while a cluster is in trouble.

#include "tests/cluster/chaos_work.hpp"

#include <signal.h>

#include <algorithm>
#include <iterator>

#include "tests/cluster/chaos_lines.hpp"

namespace stoker::test {

namespace {

using std::chrono::milliseconds;

/// So long somebody looks for a master that leads.
const std::vector<std::string> patient{"--master-timeout", "60s"};

/// More commands at a time would measure the machine.
constexpr std::size_t clients_max = 8;

constexpr std::ptrdiff_t lasting_max = 3;

std::vector<std::string> joined(std::vector<std::string> a,
                                const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Of a command that has ended.
std::string told(Process& client) {
  return client.description() + " ended with "
         + std::to_string(client.poll_status().value_or(0)) + ": "
         + client.err();
}

} // namespace

ChaosWork::ChaosWork(ChaosCluster& cluster, std::uint64_t seed)
    : cluster_(cluster), random_(seed) {
}

void ChaosWork::step(milliseconds now) {
  look_after_runs(now);
  look_after_submissions();
  look_after_kills();
  look_after_looks();
  if (winding_down_ || now < next_ || clients() >= clients_max)
    return;
  next_ = now + milliseconds{200 + random_.below(500)};
  start_something(now);
}

void ChaosWork::wind_down() {
  winding_down_ = true;
}

bool ChaosWork::is_done() {
  if (clients() > 0)
    return false;
  auto state = cluster_.status();
  for (const auto& x : state.at("active_drivers").as_array())
    if (text_of(x, "name").starts_with("lasting"))
      kills_.push_back(
          {text_of(x, "id"),
           &cluster_.stoker(joined({"kill", text_of(x, "id")}, patient))});
  auto states = values_of(state.at("workers"), "state");
  auto used = values_of(state.at("workers"), "cores_used");
  return kills_.empty() && state.at("active_drivers").as_array().empty()
         && state.at("active_apps").as_array().empty()
         && std::count(states.begin(), states.end(), "ALIVE") == 3
         && std::count(used.begin(), used.end(), "0")
                == static_cast<std::ptrdiff_t>(used.size());
}

std::string ChaosWork::summary() const {
  auto acknowledged
      = std::count_if(submissions_.begin(), submissions_.end(),
                      [](const auto& x) { return !x.id.empty(); });
  std::string refusals;
  for (const auto& x : refused_)
    refusals += "\nnot acknowledged: " + x;
  return std::to_string(runs_.size()) + " runs, "
         + std::to_string(submissions_.size()) + " submissions ("
         + std::to_string(acknowledged) + " acknowledged), "
         + std::to_string(killed_) + " kills, " + std::to_string(looked_)
         + " looks, " + std::to_string(excused_)
         + " instances that ran twice beyond a worker out of reach" + refusals;
}

// -- commands -----------------------------------------------------------------

void ChaosWork::start_something(milliseconds now) {
  constexpr std::size_t choices = 10;
  switch (random_.below(choices)) {
  case 0:
  case 1:
  case 2:
    return start_run(now);
  case 3:
  case 4:
  case 5:
  case 6:
    return start_submission();
  case 7:
    return start_kill();
  default:
    return start_look();
  }
}

void ChaosWork::start_run(milliseconds now) {
  Run run;
  run.name = "run-" + std::to_string(++names_);
  run.instances = 1 + static_cast<int>(random_.below(4));
  if (random_.below(6) == 0)
    run.abandoned = now + milliseconds{random_.below(3'000)};
  run.client = &cluster_.start_script(
      run.instances, writes_lines(run.name, pause(100, 3'000)),
      joined(
          {"--name", run.name, "--conf", "spark.executor.memory=64m", "--wait"},
          patient));
  runs_.push_back(run);
}

void ChaosWork::start_submission() {
  Submission x;
  auto lasting = std::count_if(
      submissions_.begin(), submissions_.end(),
      [](const auto& y) { return y.lasting && !y.to_be_killed; });
  x.lasting = random_.below(3) == 0 && lasting < lasting_max;
  x.supervised = random_.below(2) == 0;
  x.name = std::string{x.lasting ? "lasting-" : "driver-"}
           + std::to_string(++names_);
  std::vector<std::string> words{"submit", "--wait",   "--name",
                                 x.name,   "--memory", "64m"};
  if (x.supervised)
    words.emplace_back("--supervise");
  auto script = writes_lines(x.name, x.lasting ? "1000" : pause(100, 3'000));
  x.client = &cluster_.stoker(
      joined(joined(words, patient), {"--", "sh", "-c", script}));
  submissions_.push_back(x);
}

void ChaosWork::start_kill() {
  auto victim = std::find_if(
      submissions_.begin(), submissions_.end(), [](const auto& x) {
        return x.lasting && !x.id.empty() && !x.to_be_killed;
      });
  if (victim == submissions_.end())
    return start_look();
  victim->to_be_killed = true;
  kills_.push_back(
      {victim->id, &cluster_.stoker(joined({"kill", victim->id}, patient))});
}

void ChaosWork::start_look() {
  Look look;
  look.begin = ChaosCluster::Clock::now();
  for (const auto& x : submissions_)
    if (!x.id.empty())
      look.acknowledged.insert(x.id);
  look.ends = ends_;
  look.client = &cluster_.stoker(joined({"status", "--json"}, patient));
  looks_.push_back(std::move(look));
}

// -- what became of them ------------------------------------------------------

void ChaosWork::look_after_runs(milliseconds now) {
  for (auto& x : runs_) {
    if (x.ended)
      continue;
    if (x.abandoned && now >= *x.abandoned && x.client->running())
      x.client->send(SIGKILL);
    x.ended = !x.client->running();
    if (x.ended && x.client->poll_status() != 0 && !x.abandoned)
      broken_.push_back(told(*x.client));
  }
}

void ChaosWork::look_after_submissions() {
  for (auto& x : submissions_) {
    if (x.answered || x.client->running())
      continue;
    x.answered = true;
    if (x.client->poll_status() != 0) {
      refused_.push_back(x.client->err());
      continue;
    }
    x.id = x.client->out().substr(0, x.client->out().find('\n'));
    auto same = std::count_if(submissions_.begin(), submissions_.end(),
                              [&](const auto& y) { return y.id == x.id; });
    if (same > 1)
      broken_.push_back(x.id + " was given to two submissions");
  }
}

void ChaosWork::look_after_kills() {
  auto over = [this](const Kill& x) {
    if (x.client->running())
      return false;
    if (x.client->poll_status() == 0)
      for (auto& y : submissions_)
        if (y.id == x.id && !y.killed) {
          y.killed = true;
          ++killed_;
        }
    return true;
  };
  std::erase_if(kills_, over);
}

void ChaosWork::look_after_looks() {
  auto over = [this](const Look& x) {
    if (x.client->running())
      return false;
    if (x.client->poll_status() == 0)
      judge(x);
    else
      broken_.push_back(told(*x.client));
    return true;
  };
  std::erase_if(looks_, over);
}

/// What was acknowledged before is known, and what has ended stays so.
void ChaosWork::judge(const Look& look) {
  // A leader whose lock was taken away may answer questions until it notices. It
  // looks every 0.5 s (docs/architecture.md); the rest is for a machine on which
  // all the others run as well, and for one that is stopped meanwhile.
  constexpr auto notices_after = 500ms + 5500ms;
  if (look.begin < cluster_.lock_removed() + notices_after)
    return;
  ++looked_;
  std::map<std::string, std::string> states;
  auto state = boost::json::parse(look.client->out()).as_object();
  for (const auto* part : {"active_drivers", "completed_drivers"})
    for (const auto& x : state.at(part).as_array())
      if (!states.emplace(text_of(x, "id"), text_of(x, "state")).second)
        broken_.push_back(text_of(x, "id") + " is shown twice");
  for (const auto& id : look.acknowledged)
    if (!states.contains(id))
      broken_.push_back(id + " was acknowledged and is not known");
  for (const auto& [id, end] : look.ends)
    if (states[id] != end)
      broken_.push_back(id + " had ended as " + end + " and is " + states[id]);
  for (const auto& x : state.at("completed_drivers").as_array())
    ends_[text_of(x, "id")] = text_of(x, "state");
}

// -- small things -------------------------------------------------------------

std::string ChaosWork::pause(int from_ms, int to_ms) {
  auto ms = static_cast<std::size_t>(from_ms)
            + random_.below(static_cast<std::size_t>(to_ms - from_ms));
  auto text = std::to_string(1'000 + ms % 1'000);
  return std::to_string(ms / 1'000) + '.' + text.substr(1);
}

std::size_t ChaosWork::clients() {
  auto runs = std::count_if(runs_.begin(), runs_.end(),
                            [](const auto& x) { return !x.ended; });
  auto submissions = std::count_if(submissions_.begin(), submissions_.end(),
                                   [](const auto& x) { return !x.answered; });
  return static_cast<std::size_t>(runs + submissions) + kills_.size()
         + looks_.size();
}

} // namespace stoker::test
