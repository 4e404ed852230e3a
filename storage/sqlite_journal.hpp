#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "storage/journal.hpp"

namespace stoker {

/// A journal in a file of SQLite (docs/storage.md): one transaction a commit,
/// which is synced before `commit` returns. Nothing but these calls, and no
/// error, ever changes or removes what is stored.
///
/// What was given to applications and drivers in their environment may be secrets:
/// once the end of one is committed, they leave all files of the database at the next
/// check, or at a commit some seconds later if there is none. As long as somebody
/// reads an earlier state they stay.
class SqliteJournal : public Journal {
public:
  enum class Missing { create, refuse };

  /// Opens the file. The directory must be there. An older version is brought to
  /// the newest.
  /// @param missing Whether to make a file that is not there, for its owner alone.
  static Result<std::unique_ptr<SqliteJournal>>
  open(const std::string& path, Missing missing = Missing::create);

  ~SqliteJournal() override;

  Result<Leadership> lead(const std::string& master_url,
                          std::int64_t at_ms) override;
  Status commit(const Changes& changes) override;
  Status check() override;

  /// How long secrets may stay if there is no check.
  void set_secrets_kept_for(std::chrono::milliseconds x) {
    secrets_kept_for_ = x;
  }

private:
  struct Connection;
  explicit SqliteJournal(std::unique_ptr<Connection> connection);

  std::unique_ptr<Connection> connection_;

  /// Of this journal's last leadership; 0: there was none.
  LeaderEpoch epoch_;

  std::chrono::milliseconds secrets_kept_for_{5'000};
};

/// The journal's file in a master's data directory.
std::string journal_file(const std::string& data_directory);

} // namespace stoker
