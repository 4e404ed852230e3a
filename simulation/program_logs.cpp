#include "simulation/program_logs.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "scheduling/worker/output_part.hpp"
#include "simulation/violation.hpp"

namespace stoker::simulation {

namespace {

/// Bytes. An answer carries no more, whatever is asked.
constexpr std::int64_t answer_bytes_max = 64 * 1024;

/// Bytes of one part, where the answer has room for them.
constexpr std::int64_t part_bytes_min = 4 * 1024;

/// How often the OUTPUT looks for news for requests that wait.
constexpr Duration poll_pause = std::chrono::milliseconds{250};

} // namespace

void ProgramLogs::begin_life(const WorkerConfig& config) {
  readers_.emplace(config.log_bytes_max / 4,
                   config.log_bytes_max * config.log_files);
  waiting_.clear();
  looks_ = false;
}

// -- programs and their supervisors -------------------------------------------

void ProgramLogs::add(const ExecutorId& id, const OutputPlan& plan,
                      const WorkerConfig& config) {
  outputs_.try_emplace(id, id.exec_id, plan,
                       config.log_bytes_max * config.log_files, true);
}

void ProgramLogs::begin(const ExecutorId& id) {
  if (auto i = outputs_.find(id); i != outputs_.end())
    i->second.begin(queue_.now());
}

void ProgramLogs::told_to_end(const ExecutorId& id) {
  if (auto i = outputs_.find(id); i != outputs_.end())
    i->second.told_to_end(queue_.now());
}

void ProgramLogs::end(const ExecutorId& id, bool lost) {
  auto i = outputs_.find(id);
  if (i == outputs_.end())
    return;
  auto& output = i->second;
  output.end(queue_.now(), lost);
  stats_.count("executors with a reader that ended");
  if (output.has_waited())
    stats_.count("programs that waited for their reader");
  if (output.was_paused())
    stats_.count("programs that waited for the reader of others");
}

void ProgramLogs::damage_any(std::int64_t which, std::int64_t bytes) {
  std::vector<ProgramOutput*> ended;
  for (auto& [id, output] : outputs_)
    if (output.has_ended())
      ended.push_back(&output);
  if (!ended.empty())
    ended[static_cast<std::size_t>(which) % ended.size()]->damage(
        1 + bytes * 16, bytes % 2 != 0);
}

const ProgramOutput* ProgramLogs::find(const ExecutorId& id) const {
  auto i = outputs_.find(id);
  return i == outputs_.end() ? nullptr : &i->second;
}

bool ProgramLogs::has_more(const ExecutorId& id) {
  auto i = outputs_.find(id);
  return i != outputs_.end() && i->second.runs()
         && !i->second.has_written_all(queue_.now());
}

std::optional<ResourceUse> ProgramLogs::use_of(const ExecutorId& id) const {
  const auto* output = find(id);
  if (output == nullptr)
    return std::nullopt;
  return ResourceUse{0, 0, output->written()};
}

// -- what the worker says -----------------------------------------------------

void ProgramLogs::started(const ProgramId& id, bool is_read) {
  readers_->started(id, is_read);
  tell_changes();
}

void ProgramLogs::ended(const ProgramId& id, std::int64_t unread) {
  readers_->ended(id, unread);
  tell_changes();
  // What the worker knew when it was asked is no longer true.
  for (auto i = waiting_.begin(); i != waiting_.end();) {
    const auto& sources = i->question.sources;
    auto next = std::next(i);
    if (std::any_of(sources.begin(), sources.end(),
                    [&](const auto& x) { return x && x->id == id; })) {
      i->question.answer(OutputResponse{});
      waiting_.erase(i);
    }
    i = next;
  }
}

void ProgramLogs::taken(const ExecutorId& id) {
  readers_->taken(id);
  tell_changes();
}

void ProgramLogs::left(const AppId& app) {
  readers_->left(app);
  tell_changes();
}

void ProgramLogs::tell_changes() {
  for (const auto& x : readers_->take_changes())
    if (const auto* id = std::get_if<ExecutorId>(&x.id))
      if (auto i = outputs_.find(*id); i != outputs_.end())
        i->second.keep(queue_.now(), x);
}

// -- readers ------------------------------------------------------------------

void ProgramLogs::ask(Question x) {
  const auto& positions = x.request.positions;
  for (std::size_t i = 0; i < positions.size(); ++i)
    if (x.sources[i] && positions[i].offset >= 0)
      readers_->read(worker_.now(), x.request.reader, *x.sources[i],
                     positions[i].standard_error, positions[i].offset);
  tell_changes();
  if (auto answer = try_to_answer(x))
    return x.answer(std::move(*answer));
  for (const auto& source : x.sources)
    if (source)
      readers_->waits(source->id);
  tell_changes();
  auto until = worker_.now() + wait_of(x.request);
  waiting_.push_back({std::move(x), until});
  ask_for_look();
}

void ProgramLogs::ask_for_look() {
  if (!waiting_.empty() && !std::exchange(looks_, true))
    worker_.after(poll_pause, [this] { look(); });
}

void ProgramLogs::look() {
  looks_ = false;
  readers_->tick(worker_.now());
  tell_changes();
  for (auto i = waiting_.begin(); i != waiting_.end();) {
    auto answer = try_to_answer(i->question);
    if (!answer && i->until > worker_.now()) {
      ++i;
      continue;
    }
    i->question.answer(answer.value_or(OutputResponse{}));
    i = waiting_.erase(i);
  }
  ask_for_look();
}

std::optional<OutputResponse> ProgramLogs::try_to_answer(const Question& x) {
  const auto& positions = x.request.positions;
  OutputResponse result;
  auto rest = std::min(x.request.limit, answer_bytes_max);
  auto share = std::max(rest / std::max<std::int64_t>(std::ssize(positions), 1),
                        part_bytes_min);
  auto news = positions.empty();
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (!x.sources[i])
      fail(worker_.name() + " is asked for no output");
    auto part = read_part(positions[i], *x.sources[i], std::min(share, rest));
    rest -= static_cast<std::int64_t>(part.data.size());
    auto is_new = is_news(part, positions[i]);
    news = news || is_new;
    if (is_new || part.problem)
      result.parts.push_back(std::move(part));
  }
  return news ? std::optional{std::move(result)} : std::nullopt;
}

OutputPart ProgramLogs::read_part(const OutputPosition& position,
                                  const OutputSource& source,
                                  std::int64_t limit) {
  auto i = outputs_.find(*position.executor);
  if (i == outputs_.end())
    return output_part(position, source,
                       Error{Errc::unreadable, "there is no such log"}, [] {
                         return Result<OutputAccount>{
                             Error{Errc::not_found, "nothing is known of it"}};
                       });
  auto& output = i->second;
  auto piece = output.read(queue_.now(), position.standard_error,
                           position.offset, limit);
  return output_part(position, source,
                     LogPiece{std::move(piece.data), piece.offset, piece.end},
                     [&] {
                       OutputAccount account;
                       account.written = output.count(position.standard_error);
                       return Result<OutputAccount>{account};
                     });
}

} // namespace stoker::simulation
