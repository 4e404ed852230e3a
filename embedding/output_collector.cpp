#include "embedding/output_collector.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include <caf/typed_actor.hpp>

#include "messages/caf_error.hpp"

namespace stoker {

namespace {

constexpr std::chrono::seconds output_timeout{15};

/// Bytes asked for at a time, and how many answers may be under way.
constexpr std::int64_t portion = 128 * 1024;
constexpr std::size_t at_once = 32;

/// The output of an ended executor is given up after so many failures: its
/// worker is gone.
constexpr int tries_max = 3;

} // namespace

OutputCollector::OutputCollector(caf::scoped_actor& self, AppClientActor client,
                                 Sink sink)
    : self_(self), client_(std::move(client)), sink_(std::move(sink)) {
}

void OutputCollector::started(int exec_id) {
  executors_[exec_id];
}

void OutputCollector::ended(int exec_id) {
  auto i = executors_.find(exec_id);
  if (i == executors_.end() || i->second.ended)
    return;
  i->second.ended = true;
  // What failed before says nothing about the worker now.
  i->second.failed_tries = 0;
}

void OutputCollector::leave_running() {
  std::erase_if(executors_, [](const auto& x) { return !x.second.ended; });
}

bool OutputCollector::collect(const AppId& app_id) {
  std::vector<Question> questions;
  auto any = false;
  for (const auto& [exec_id, progress] : executors_)
    for (std::size_t stream = 0; stream < progress.streams.size(); ++stream)
      if (!progress.streams[stream].complete)
        questions.push_back({exec_id, stream});
  for (auto i = questions.begin(); i != questions.end();) {
    auto end = i + std::min<std::ptrdiff_t>(at_once, questions.end() - i);
    any = ask(app_id, {i, end}) || any;
    i = end;
  }
  std::erase_if(executors_, [](const auto& x) {
    const auto& progress = x.second;
    auto complete = [](const Stream& y) { return y.complete; };
    return std::all_of(progress.streams.begin(), progress.streams.end(),
                       complete)
           || (progress.ended && progress.failed_tries >= tries_max);
  });
  return any;
}

bool OutputCollector::ask(const AppId& app_id,
                          const std::vector<Question>& questions) {
  auto send = [&](const Question& x) {
    auto request = request_log_of(ExecutorId{app_id, x.exec_id});
    request.standard_error = x.stream == 1;
    request.offset = executors_[x.exec_id].streams[x.stream].offset;
    request.limit = portion;
    return self_->request(client_, output_timeout, request);
  };
  std::vector<decltype(send(questions.front()))> answers;
  answers.reserve(questions.size());
  for (const auto& question : questions)
    answers.push_back(send(question));
  auto any = false;
  for (std::size_t i = 0; i < questions.size(); ++i)
    answers[i].receive(
        [&](const LogResponse& x) { any = take(questions[i], x) || any; },
        [&](const caf::error& e) {
          // Without a master nobody can tell; the application ends first.
          if (e != Errc::not_alive)
            ++executors_[questions[i].exec_id].failed_tries;
        });
  return any;
}

bool OutputCollector::take(const Question& question,
                           const LogResponse& answer) {
  auto& progress = executors_[question.exec_id];
  auto& stream = progress.streams[question.stream];
  progress.failed_tries = 0;
  if (!answer.data.empty())
    sink_(question.exec_id, question.stream == 1, answer.data);
  stream.offset = answer.offset + static_cast<std::int64_t>(answer.data.size());
  // The question was put after the end: what was written is all there is.
  stream.complete = progress.ended && stream.offset >= answer.end;
  return !answer.data.empty();
}

} // namespace stoker
