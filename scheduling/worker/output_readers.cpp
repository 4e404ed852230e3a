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
  if (!(source.grows || source.restarts) || !source.waits)
    return;
  // Its application may not have read yet what somebody else reads already.
  if (std::holds_alternative<ExecutorId>(source.id))
    for (auto both : {false, true})
      readers_[{source.id, both}].try_emplace({});
  auto& position = readers_[{source.id, standard_error}][reader];
  position.offset = source.grows ? offset : 0;
  if (!reader.empty())
    position.until = now + patience;
  touched_.try_emplace(source.id);
}

void OutputReaders::waits(const ProgramId& id) {
  touched_[id] = true;
}

void OutputReaders::started(const ProgramId& id) {
  told_.erase(id);
  touched_.try_emplace(id);
}

void OutputReaders::adopted(Instant now, const ProgramId& id) {
  adopted_[id] = now + patience;
}

void OutputReaders::ended(const ProgramId& id) {
  for (auto standard_error : {false, true})
    readers_.erase({id, standard_error});
  adopted_.erase(id);
  told_.erase(id);
  touched_.erase(id);
}

void OutputReaders::tick(Instant now) {
  for (auto i = readers_.begin(); i != readers_.end();) {
    auto& [stream, readers] = *i;
    if (std::erase_if(readers,
                      [&](const auto& x) {
                        return x.second.until && *x.second.until <= now;
                      })
        > 0)
      touched_.try_emplace(stream.id);
    i = readers.empty() ? readers_.erase(i) : std::next(i);
  }
  for (auto i = adopted_.begin(); i != adopted_.end();) {
    if (i->second > now) {
      ++i;
      continue;
    }
    // Something is kept there, for all that is known here.
    if (told_.try_emplace(i->first, OutputToKeep{i->first, 0, 0}).second)
      touched_.try_emplace(i->first);
    i = adopted_.erase(i);
  }
}

std::optional<Instant> OutputReaders::due() const {
  std::optional<Instant> result;
  for (const auto& [id, until] : adopted_)
    result = earlier(result, until);
  for (const auto& [stream, readers] : readers_)
    for (const auto& [reader, position] : readers)
      result = earlier(result, position.until);
  return result;
}

std::vector<OutputToKeep> OutputReaders::take_changes() {
  std::vector<OutputToKeep> result;
  for (const auto& [id, small] : std::exchange(touched_, {})) {
    auto step = small ? 1 : step_bytes_;
    OutputToKeep now{id, kept({id, false}), kept({id, true})};
    auto& told = told_.try_emplace(id, OutputToKeep{id, {}, {}}).first->second;
    if (differs(told.out, now.out, step) || differs(told.err, now.err, step)) {
      told = now;
      result.push_back(now);
    }
    if (!told.out && !told.err)
      told_.erase(id);
  }
  return result;
}

std::optional<std::int64_t> OutputReaders::kept(const Stream& stream) const {
  auto i = readers_.find(stream);
  if (i == readers_.end() || i->second.empty())
    return std::nullopt;
  return std::min_element(i->second.begin(), i->second.end(),
                          [](const auto& a, const auto& b) {
                            return a.second.offset < b.second.offset;
                          })
      ->second.offset;
}

} // namespace stoker
