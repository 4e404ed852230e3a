#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/replies_to.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "actors/clock.hpp"
#include "messages/all.hpp"
#include "messages/serialization.hpp"
#include "storage/file_store.hpp"

namespace stoker {

/// A leadership begins: look what there is.
struct OpenFiles {};

/// Whole files. Those that cannot be looked at are not among them.
struct FilesFound {
  std::vector<FileKey> files;
};

struct ReadFile {
  FileKey key;
  std::int64_t offset = 0;
  std::int64_t limit = 0;
};

/// Nobody needs these any more; nor beginnings that have not grown for long.
struct RemoveFiles {
  std::vector<FileKey> files;
};

/// The FILES keep what goes with commands, on a thread of their own: disks are slow. Which
/// files may go decides the master, which knows what is needed.
using FilesActor
    = caf::typed_actor<caf::replies_to<OpenFiles>::with<FilesFound>,
                       // The master has filled in who sends it.
                       caf::replies_to<StoreFilePart>::with<StoreFileResponse>,
                       caf::replies_to<ReadFile>::with<FilePart>,
                       caf::reacts_to<RemoveFiles>>;

/// The state of the FILES.
struct FilesState {
  std::optional<FileStore> store;
  std::optional<WallClock> clock;

  /// Names the actor in logs.
  static constexpr const char* name = "files";
};

/// To be spawned detached.
FilesActor::behavior_type files(FilesActor::stateful_pointer<FilesState> self,
                                FileStoreConfig config);

} // namespace stoker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::OpenFiles)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::FilesFound)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::ReadFile)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::RemoveFiles)
