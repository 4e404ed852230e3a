#include "actors/journal.hpp"

#include <utility>

#include "actors/failure.hpp"

namespace stoker {

JournalActor::behavior_type
journal(JournalActor::stateful_pointer<JournalState> self,
        JournalFactory open) {
  handle_the_unexpected(self);
  self->state.session.emplace(std::move(open));
  return {
      [self](const OpenJournal& x) -> JournalAnswer {
        auto leadership = self->state.session->lead(x.master_url, x.at_ms);
        if (!leadership)
          return {std::move(leadership).error(), {}};
        return {{}, *std::move(leadership)};
      },
      [self](const CommitChanges& x) -> JournalAnswer {
        return {self->state.session->commit(*x.changes), {}};
      },
      [self](const CheckJournal&) -> JournalAnswer {
        return {self->state.session->check(), {}};
      },
  };
}

} // namespace stoker
