#include "actors/files.hpp"

#include <utility>

#include <spdlog/spdlog.h>

#include "actors/failure.hpp"
#include "network/shares.hpp"

namespace stoker {

namespace {

using FilesSelf = FilesActor::stateful_pointer<FilesState>;

FilesFound open_files(FilesSelf self) {
  auto& state = self->state;
  auto found = state.store->open(state.clock->now());
  if (found)
    return {*std::move(found)};
  spdlog::error("[files-not-found] files of commands are not found again: {}",
                found.error().message);
  return {};
}

StoreFileResponse store_part(FilesSelf self, const StoreFilePart& x) {
  auto& state = self->state;
  auto stored = state.store->put({file_owner(x.identity), x.sha256}, x.bytes,
                                 x.offset, x.data, state.clock->now(),
                                 has_share(x.identity) ? FileShare::half
                                                       : FileShare::all);
  if (stored)
    return {*stored, {}};
  if (stored.code() == Errc::full || stored.code() == Errc::io)
    spdlog::warn("[file-not-stored] a file of {} bytes is not stored: {}",
                 x.bytes, stored.error().message);
  return {0, std::move(stored).error().message};
}

FilePart read_part(FilesSelf self, const ReadFile& x) {
  auto read = self->state.store->read(x.key, x.offset, x.limit);
  if (read)
    return {*std::move(read), {}};
  return {{}, std::move(read).error().message};
}

} // namespace

FilesActor::behavior_type files(FilesSelf self, FileStoreConfig config) {
  handle_the_unexpected(self);
  self->state.store.emplace(std::move(config));
  self->state.clock.emplace(self->clock());
  return {
      [self](const OpenFiles&) { return open_files(self); },
      [self](const StoreFilePart& x) { return store_part(self, x); },
      [self](const ReadFile& x) { return read_part(self, x); },
      [self](const RemoveFiles& x) {
        auto& state = self->state;
        for (const auto& key : x.files)
          state.store->remove(key);
        state.store->remove_old_beginnings(state.clock->now());
      },
  };
}

} // namespace stoker
