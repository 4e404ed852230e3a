#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/replies_to.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "scheduling/leadership/commit_queue.hpp"
#include "storage/journal_session.hpp"

namespace stoker {

/// Begin a leadership.
struct OpenJournal {
  std::string master_url;
  std::int64_t at_ms = 0;
};

struct CommitChanges {
  /// Not null.
  SharedChanges changes;
};

/// Find out whether a commit would fail.
struct CheckJournal {};

/// Whether it is done. Fails as the Journal does.
struct JournalAnswer {
  Status status;

  /// Of a leadership that has begun.
  Leadership leadership;
};

/// The JOURNAL commits on a thread of its own, since that waits for the disk.
using JournalActor = caf::typed_actor<
    // Opens the store and begins a leadership.
    caf::replies_to<OpenJournal>::with<JournalAnswer>,
    // Commits all of it, or nothing.
    caf::replies_to<CommitChanges>::with<JournalAnswer>,
    // Commits nothing.
    caf::replies_to<CheckJournal>::with<JournalAnswer>>;

/// The state of the JOURNAL.
struct JournalState {
  std::optional<JournalSession> session;

  /// Names the actor in logs.
  static constexpr const char* name = "journal";
};

/// To be spawned detached.
JournalActor::behavior_type
journal(JournalActor::stateful_pointer<JournalState> self, JournalFactory open);

} // namespace stoker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::OpenJournal)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::CommitChanges)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::CheckJournal)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::JournalAnswer)
