#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "storage/journal.hpp"

namespace stoker {

/// A journal in a file of SQLite (docs/storage.md): one transaction a commit,
/// which is synced before `commit` returns. Nothing but these calls, and no
/// error, ever changes or removes what is stored.
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

private:
  struct Connection;
  explicit SqliteJournal(std::unique_ptr<Connection> connection);

  std::unique_ptr<Connection> connection_;

  /// Of this journal's last leadership; 0: there was none.
  LeaderEpoch epoch_;
};

/// The journal's file in a master's data directory.
std::string journal_file(const std::string& data_directory);

} // namespace stoker
