#include "storage/journal_session.hpp"

#include <exception>
#include <utility>

namespace stoker {

namespace {

template <class Work>
auto without_exceptions(Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& e) {
    return Error{Errc::io, e.what()};
  }
}

Error not_open() {
  return {Errc::io, "the store is not open"};
}

} // namespace

JournalSession::JournalSession(JournalFactory open) : open_(std::move(open)) {
}

Result<Leadership> JournalSession::lead(const std::string& master_url,
                                        std::int64_t at_ms) {
  return without_exceptions([&]() -> Result<Leadership> {
    journal_.reset();
    auto opened = open_();
    if (!opened)
      return std::move(opened).error();
    journal_ = *std::move(opened);
    return journal_->lead(master_url, at_ms);
  });
}

Status JournalSession::commit(const Changes& changes) {
  return without_exceptions([&]() -> Status {
    if (!journal_)
      return not_open();
    return journal_->commit(changes);
  });
}

Status JournalSession::check() {
  return without_exceptions([&]() -> Status {
    if (!journal_)
      return not_open();
    return journal_->check();
  });
}

} // namespace stoker
