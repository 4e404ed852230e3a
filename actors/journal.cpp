#include "actors/journal.hpp"

namespace stoker {

namespace {

/// Runs what may fail, and says how it went.
template <class Work>
JournalAnswer attempt(Work&& work) {
  JournalAnswer result;
  try {
    work(result);
  } catch (const JournalError& e) {
    result.fault = e.fault();
    result.sentence = e.what();
  } catch (const std::exception& e) {
    result.fault = JournalFault::io;
    result.sentence = e.what();
  }
  return result;
}

} // namespace

JournalActor::behavior_type
journal(JournalActor::stateful_pointer<JournalState> self,
        JournalFactory open) {
  return {
      [self, open = std::move(open)](const OpenJournal& x) {
        return attempt([&](JournalAnswer& answer) {
          // What another leader has written since is not in this one.
          self->state.journal.reset();
          self->state.journal = open();
          answer.leadership = self->state.journal->lead(x.master_url, x.at_ms);
        });
      },
      [self](const CommitChanges& x) {
        return attempt(
            [&](JournalAnswer&) { self->state.journal->commit(x.changes); });
      },
  };
}

} // namespace stoker
