#include "scheduling/worker/output_readers.hpp"

#include <algorithm>
#include <utility>

#include "scheduling/common/wake_up.hpp"

namespace stoker {

namespace {

/// Whether it matters that from now on other bytes are kept.
bool differs(std::optional<std::int64_t> told, std::optional<std::int64_t> now,
             std::int64_t step) {
  if (!told || !now)
    return told.has_value() != now.has_value();
  return *now < *told || *now >= *told + step;
}

} // namespace

void OutputReaders::read(Instant now, const std::string& reader,
                         const OutputSource& source, bool standard_error,
                         std::int64_t offset) {
  // What has ended loses nothing.
  if (const auto* executor = std::get_if<ExecutorId>(&source.id);
      executor != nullptr && reader.empty() && !source.grows)
    change_unread(*executor, [&](Unread& x) {
      auto& read = x.read[standard_error ? 1 : 0];
      read = std::max(read, offset);
    });
  if (!(source.grows || source.restarts) || !source.waits)
    return;
  // Its application may not have read yet what somebody else reads already.
  if (std::holds_alternative<ExecutorId>(source.id))
    for (auto both : {false, true})
      applications_.try_emplace({source.id, both});
  Stream stream{source.id, standard_error};
  auto has = source.grows ? offset : 0;
  if (reader.empty())
    applications_[stream] = has;
  else
    followers_[stream][reader] = {has, now + patience};
  touched_.try_emplace(source.id);
}

void OutputReaders::waits(const ProgramId& id) {
  touched_[id] = true;
}

void OutputReaders::started(const ProgramId& id, bool is_read) {
  if (is_read)
    for (auto standard_error : {false, true})
      applications_.try_emplace({id, standard_error});
  told_.erase(id);
  touched_.try_emplace(id);
}

void OutputReaders::adopted(Instant now, const ProgramId& id) {
  adopted_[id] = now + patience;
}

void OutputReaders::ended(const ProgramId& id, std::int64_t unread) {
  if (const auto* executor = std::get_if<ExecutorId>(&id);
      executor != nullptr && unread > 0) {
    unread_[executor->app_id].executors.try_emplace(executor->exec_id);
    change_unread(*executor, [&](Unread& x) {
      x.written = unread;
      for (auto standard_error : {false, true})
        if (auto i = applications_.find({id, standard_error});
            i != applications_.end())
          x.read[standard_error ? 1 : 0] = i->second;
    });
  }
  for (auto standard_error : {false, true}) {
    applications_.erase({id, standard_error});
    followers_.erase({id, standard_error});
  }
  adopted_.erase(id);
  told_.erase(id);
  touched_.erase(id);
}

void OutputReaders::taken(const ExecutorId& id) {
  change_unread(id, [](Unread& x) { x.written = 0; });
  auto app = unread_.find(id.app_id);
  if (app == unread_.end())
    return;
  app->second.executors.erase(id.exec_id);
  if (app->second.executors.empty())
    unread_.erase(app);
}

void OutputReaders::change_unread(const ExecutorId& id,
                                  const std::function<void(Unread&)>& change) {
  auto app = unread_.find(id.app_id);
  if (app == unread_.end())
    return;
  auto executor = app->second.executors.find(id.exec_id);
  if (executor == app->second.executors.end())
    return;
  auto& all = app->second.bytes;
  auto was_paused = all > unread_max_;
  all -= executor->second.bytes();
  change(executor->second);
  all += executor->second.bytes();
  if (was_paused != (all > unread_max_))
    touch_all_of(id.app_id);
}

void OutputReaders::left(const AppId& app) {
  if (unread_.erase(app) > 0)
    touch_all_of(app);
}

void OutputReaders::touch_all_of(const AppId& app) {
  for (const auto& [stream, offset] : applications_)
    if (const auto* executor = std::get_if<ExecutorId>(&stream.id);
        executor != nullptr && executor->app_id == app)
      touched_.try_emplace(stream.id);
}

bool OutputReaders::is_paused(const ProgramId& id) const {
  const auto* executor = std::get_if<ExecutorId>(&id);
  if (executor == nullptr)
    return false;
  auto app = unread_.find(executor->app_id);
  return app != unread_.end() && app->second.bytes > unread_max_;
}

void OutputReaders::tick(Instant now) {
  for (auto i = followers_.begin(); i != followers_.end();) {
    auto& [stream, followers] = *i;
    if (std::erase_if(followers,
                      [&](const auto& x) { return x.second.until <= now; })
        > 0)
      touched_.try_emplace(stream.id);
    i = followers.empty() ? followers_.erase(i) : std::next(i);
  }
  for (auto i = adopted_.begin(); i != adopted_.end();) {
    if (i->second > now) {
      ++i;
      continue;
    }
    // Something is kept there, for all that is known here.
    if (told_.try_emplace(i->first, OutputToKeep{i->first, 0, 0, false}).second)
      touched_.try_emplace(i->first);
    i = adopted_.erase(i);
  }
}

std::optional<Instant> OutputReaders::due() const {
  std::optional<Instant> result;
  for (const auto& [id, until] : adopted_)
    result = earlier(result, until);
  for (const auto& [stream, followers] : followers_)
    for (const auto& [name, follower] : followers)
      result = earlier(result, follower.until);
  return result;
}

std::vector<OutputToKeep> OutputReaders::take_changes() {
  std::vector<OutputToKeep> result;
  for (const auto& [id, small] : std::exchange(touched_, {})) {
    auto step = small ? 1 : step_bytes_;
    OutputToKeep now{id, kept({id, false}), kept({id, true}), false};
    now.paused = (now.out || now.err) && is_paused(id);
    auto& told
        = told_.try_emplace(id, OutputToKeep{id, {}, {}, false}).first->second;
    if (differs(told.out, now.out, step) || differs(told.err, now.err, step)
        || told.paused != now.paused) {
      told = now;
      result.push_back(now);
    }
    if (!told.out && !told.err)
      told_.erase(id);
  }
  return result;
}

std::optional<std::int64_t> OutputReaders::kept(const Stream& stream) const {
  std::optional<std::int64_t> result;
  if (auto i = applications_.find(stream); i != applications_.end())
    result = i->second;
  if (auto i = followers_.find(stream); i != followers_.end())
    for (const auto& [name, follower] : i->second)
      result = std::min(result.value_or(follower.offset), follower.offset);
  return result;
}

} // namespace stoker
