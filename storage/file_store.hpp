#pragma once

// Files that go with commands (messages/files.hpp), by what they contain:
//
//     OWNER/SHA256         all of a file
//     OWNER/SHA256.part    its beginning
//
// An OWNER has a folder, so that nobody gets by its sum what another one has stored.
// Folders are closed to others (0700), and so are files (0600).

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "messages/instant.hpp"
#include "messages/result.hpp"
#include "storage/sha256.hpp"

namespace stoker {

struct FileKey {
  /// The name of a folder.
  std::string owner;
  std::string sha256;

  friend auto operator<=>(const FileKey&, const FileKey&) = default;
};

/// The folder of who has proven to be that, as "user ann"; of those, too, who prove
/// nothing.
[[nodiscard]] std::string file_owner(const std::string& identity);

struct FileLimits {
  /// Of one file, in bytes [stoker.files.maxFileSize].
  std::int64_t file = std::int64_t{1} << 30;

  /// Of all together [stoker.files.maxTotalSize]. A small one counts as `smallest`.
  std::int64_t all = std::int64_t{10} << 30;

  /// Nothing is taken that would leave less than this of the disk.
  std::int64_t left_free = std::int64_t{64} << 20;

  static constexpr std::int64_t smallest = std::int64_t{64} << 10;
};

struct FileStoreConfig {
  /// Made when needed. Empty: a private one for temporary files, which goes with the
  /// store.
  std::string directory;
  FileLimits limits;

  /// A file counts only when it is on the disk.
  bool synced = true;
};

/// How much of the room for all files one owner may have: all, or at most half, and another file
/// only while it has no more than what is free.
enum class FileShare { all, half };

class FileStore {
public:
  /// Of a piece.
  static constexpr std::size_t part_bytes_max = std::size_t{1} << 20;

  /// For so long a beginning is kept that does not grow.
  static constexpr Duration beginning_kept = std::chrono::hours{1};

  explicit FileStore(FileStoreConfig config);
  ~FileStore();

  FileStore(const FileStore&) = delete;
  FileStore& operator=(const FileStore&) = delete;

  /// Looks what there is, and forgets what it knew. Returns whole files.
  [[nodiscard]] Result<std::vector<FileKey>> open(Instant now);

  /// Adds a piece to a file, if it is the next one. Without data nothing is added. What is
  /// as long as it should be is checked, and counts only if it is what it should be.
  /// Returns how much there is: all of it, or so much of its beginning.
  ///
  /// Fails with `Errc::invalid_request` for what cannot be, for content that is another
  /// one, which is removed, and for a file that is too large; with `Errc::full` or
  /// `Errc::io` when there is no room or it cannot be written: the beginning is then
  /// removed, too.
  [[nodiscard]] Result<std::int64_t> put(const FileKey& key, std::int64_t bytes,
                                         std::int64_t offset,
                                         std::string_view data, Instant now,
                                         FileShare share = FileShare::all);

  /// The size of a whole file.
  [[nodiscard]] std::optional<std::int64_t> size(const FileKey& key) const;

  /// A piece of a whole file, of at most `part_bytes_max` bytes. Fails with
  /// `Errc::not_found`, or `Errc::io`: it is forgotten then.
  [[nodiscard]] Result<std::string>
  read(const FileKey& key, std::int64_t offset, std::int64_t limit);

  /// Where a whole file is.
  [[nodiscard]] std::string path_of(const FileKey& key) const;

  void remove(const FileKey& key);

  /// Removes beginnings that have not grown for long.
  void remove_old_beginnings(Instant now);

  /// Of all together, as it counts.
  [[nodiscard]] std::int64_t used() const noexcept {
    return used_;
  }

private:
  struct Beginning {
    /// What it is to have at its end.
    std::int64_t bytes = 0;
    std::int64_t stored = 0;
    Instant grown;

    /// Of what is stored. Unset: it was found here, and has to be read.
    std::optional<Sha256> sum;
  };

  [[nodiscard]] Status check_room(const FileKey& key, std::int64_t bytes,
                                  std::int64_t stored, FileShare share);
  [[nodiscard]] Status check_share(const FileKey& key,
                                   std::int64_t bytes) const;
  [[nodiscard]] std::int64_t used_by(const std::string& owner) const;
  [[nodiscard]] Status make_directory(const std::string& owner);
  [[nodiscard]] Status append(const FileKey& key, Beginning& file,
                              std::string_view data);
  [[nodiscard]] Status finish(const FileKey& key, Beginning& file);
  void drop_beginning(const FileKey& key);
  void erase_beginning(const FileKey& key);
  void remove_if_empty(const std::string& owner) const;
  [[nodiscard]] std::int64_t counted_of(const FileKey& key) const;

  FileStoreConfig config_;
  bool is_temporary_ = false;
  std::map<FileKey, std::int64_t> whole_;
  std::map<FileKey, Beginning> beginnings_;
  std::int64_t used_ = 0;
};

} // namespace stoker
