#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <SQLiteCpp/Database.h>

namespace stoker {

/// Marks a file as ours (`PRAGMA application_id`): "Stok" in ASCII.
inline constexpr std::int32_t sqlite_application_id = 0x53746f6b;

/// SQL that makes one version of the schema (`PRAGMA user_version`) of the one
/// before: the first step makes version 1 of nothing, and the number of steps
/// is the newest version.
using SchemaSteps = std::vector<std::string>;

/// Of this program. Steps are only ever appended. They use the function of
/// storage/sqlite_checksum.hpp.
const SchemaSteps& schema_steps();

/// Makes a new file with an empty database of the newest version. It has its
/// name only when it is complete and synced, so there is never half of one, and
/// a file that has the name already stays as it is.
/// @param before SQL that is run before anything is in it
/// @throws StoreFailure
void create_database(const std::string& path, const SchemaSteps& steps,
                     const std::string& before = {});

/// Looks at the header of a file alone, without touching the file.
/// @throws StoreFailure when it is not ours, or newer than `steps`
void check_header(const std::string& path, const SchemaSteps& steps);

/// The schema's version in an opened database.
/// @throws StoreFailure when it is none of `steps`
int check_version(SQLite::Database& database, const std::string& path,
                  const SchemaSteps& steps);

/// Brings it to the newest version, in one transaction.
/// @throws StoreFailure, SQLite::Exception
void migrate(SQLite::Database& database, const std::string& path,
             const SchemaSteps& steps);

} // namespace stoker
