// What must be there when a cluster is well again.

#include <algorithm>

#include "tests/cluster/chaos_lines.hpp"
#include "tests/cluster/chaos_work.hpp"

namespace stoker::test {

namespace {

std::ptrdiff_t count(const std::vector<ChaosLine>& lines,
                     const std::string& what, int index) {
  return std::count_if(lines.begin(), lines.end(), [&](const ChaosLine& x) {
    return x.what == what && x.index == index;
  });
}

/// Nothing: there is no such driver.
const boost::json::value* find_driver(const boost::json::object& state,
                                      const std::string& id) {
  for (const auto& x : state.at("completed_drivers").as_array())
    if (text_of(x, "id") == id)
      return &x;
  return nullptr;
}

} // namespace

void ChaosWork::check_promises() {
  for (const auto& x : runs_)
    check_run(x);
  auto state = cluster_.status();
  for (const auto& x : submissions_)
    if (!x.id.empty())
      check_submission(x, state);
}

void ChaosWork::check_run(const Run& run) {
  auto lines = read_chaos_lines(cluster_.path(run.name));
  for (const auto& x : lines)
    if (x.what == "twice")
      check_twice(run, x, lines);
  for (int i = 0; i < run.instances; ++i)
    if (!run.abandoned && count(lines, "end", i) == 0)
      broken_.push_back(run.name + " is done, but not its instance "
                        + std::to_string(i));
}

/// Excused is only what the documentation excepts: a worker that lived and
/// could not be reached.
void ChaosWork::check_twice(const Run& run, const ChaosLine& line,
                            const std::vector<ChaosLine>& lines) {
  auto out_of_reach = [&](const ChaosLine& earlier) {
    const auto& all = cluster_.troubles();
    return std::any_of(all.begin(), all.end(), [&](const auto& x) {
      return is_of_worker(x.what) && x.what != Fault::KILL_WORKER
             && x.target == earlier.worker
             && x.overlaps(earlier.at_ms, line.at_ms);
    });
  };
  auto excused
      = std::any_of(lines.begin(), lines.end(), [&](const ChaosLine& x) {
          return x.what == "start" && x.index == line.index
                 && x.executor < line.executor && out_of_reach(x);
        });
  if (excused) {
    ++excused_;
    return;
  }
  broken_.push_back(run.name + " has run instance " + std::to_string(line.index)
                    + " twice at a time, as executor "
                    + std::to_string(line.executor) + ":\n"
                    + contents_of(cluster_.path(run.name)));
}

/// A driver may end as ERROR where its worker was in trouble while it ran. One
/// that has not begun may have been lost on its way from master to worker.
bool ChaosWork::may_be_lost(const std::vector<ChaosLine>& lines,
                            const boost::json::value& driver) const {
  auto ms = [&](const char* field) {
    return driver.as_object().at(field).to_number<std::int64_t>();
  };
  auto ended = ms("ended_ms");
  const auto& all = cluster_.troubles();
  auto start = std::find_if(lines.begin(), lines.end(),
                            [](const auto& x) { return x.what == "start"; });
  return std::any_of(all.begin(), all.end(), [&](const auto& x) {
    if (start == lines.end())
      return x.overlaps(ms("submitted_ms"), ended);
    return is_of_worker(x.what) && x.target == start->worker
           && x.overlaps(start->at_ms, ended);
  });
}

void ChaosWork::check_submission(const Submission& x,
                                 const boost::json::object& state) {
  const auto* driver = find_driver(state, x.id);
  // What was lost with its worker goes on under another id.
  while (driver != nullptr && text_of(*driver, "state") == "RELAUNCHING")
    driver = find_driver(state, text_of(*driver, "relaunched_as"));
  if (driver == nullptr) {
    broken_.push_back(x.id + " has no end");
    return;
  }
  auto end = text_of(*driver, "state");
  auto lines = read_chaos_lines(cluster_.path(x.name));
  auto starts = count(lines, "start", 0);
  auto ends = count(lines, "end", 0);
  auto lost = !x.supervised && end == "ERROR" && may_be_lost(lines, *driver);
  auto well = x.lasting ? end == "KILLED" : end == "FINISHED" && ends > 0;
  if (!well && (x.killed || !lost))
    broken_.push_back(x.name + " (" + x.id + ") has "
                      + boost::json::serialize(*driver) + ", after:\n"
                      + contents_of(cluster_.path(x.name)));
  if (!x.supervised && starts > 1)
    broken_.push_back(x.name + " was started " + std::to_string(starts)
                      + " times, though it is not supervised");
}

} // namespace stoker::test
