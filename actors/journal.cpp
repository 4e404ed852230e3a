#include "actors/journal.hpp"

#include <exception>

namespace stoker {

namespace {

JournalAnswer open_and_lead(JournalState& state, const JournalFactory& open,
                            const OpenJournal& x) {
  // What another leader has written since is not in this one.
  state.journal.reset();
  auto opened = open();
  if (!opened)
    return {std::move(opened).error(), {}};
  state.journal = *std::move(opened);
  auto leadership = state.journal->lead(x.master_url, x.at_ms);
  if (!leadership)
    return {std::move(leadership).error(), {}};
  return {{}, *std::move(leadership)};
}

/// Lets no exception out of a handler: it would end the actor.
template <class Work>
JournalAnswer attempt(Work&& work) {
  try {
    return work();
  } catch (const std::exception& e) {
    return {Error{Errc::io, e.what()}, {}};
  }
}

} // namespace

JournalActor::behavior_type
journal(JournalActor::stateful_pointer<JournalState> self,
        JournalFactory open) {
  return {
      [self, open = std::move(open)](const OpenJournal& x) {
        return attempt([&] { return open_and_lead(self->state, open, x); });
      },
      [self](const CommitChanges& x) {
        return attempt([&] {
          return JournalAnswer{self->state.journal->commit(x.changes), {}};
        });
      },
  };
}

} // namespace stoker
