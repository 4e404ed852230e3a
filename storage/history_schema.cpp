#include "storage/history_schema.hpp"

namespace stoker {

namespace {

// `entries` has a column for each field of HistoryEntry. Those of an application stand
// beside it, since their ids begin with its own. Sums by month outlive the entries that
// they were made of.
constexpr const char* history_version_1 = R"(
CREATE TABLE entries (
  id TEXT NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL,
  app_id TEXT,
  name TEXT NOT NULL,
  user TEXT NOT NULL,
  company TEXT,
  state TEXT NOT NULL,
  exit_status INTEGER,
  message TEXT,
  worker_id TEXT,
  host TEXT,
  instance INTEGER,
  cores INTEGER NOT NULL,
  memory_mb INTEGER NOT NULL,
  submitted_ms INTEGER NOT NULL,
  started_ms INTEGER,
  ended_ms INTEGER NOT NULL,
  core_ms INTEGER NOT NULL,
  cpu_ms INTEGER,
  peak_memory_mb INTEGER,
  output_bytes INTEGER,
  parts INTEGER NOT NULL,
  failed_parts INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX entries_by_end ON entries (ended_ms, id);
CREATE INDEX entries_by_user ON entries (user, ended_ms, id);
CREATE TABLE use_by_month (
  month TEXT NOT NULL,
  company TEXT NOT NULL,
  has_company INTEGER NOT NULL,
  user TEXT NOT NULL,
  core_ms INTEGER NOT NULL,
  memory_mb_s INTEGER NOT NULL,
  cpu_ms INTEGER NOT NULL,
  applications INTEGER NOT NULL,
  drivers INTEGER NOT NULL,
  executors INTEGER NOT NULL,
  PRIMARY KEY (month, company, has_company, user)
) STRICT, WITHOUT ROWID;
CREATE TABLE removed (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  until_ms INTEGER NOT NULL
) STRICT;
INSERT INTO removed VALUES (1, -1);
)";

// Until then the message alone said which driver followed.
constexpr const char* history_version_2 = R"(
ALTER TABLE entries ADD COLUMN relaunched_as TEXT;
UPDATE entries
  SET relaunched_as = substr(message, instr(message, '; runs again as ') + 16)
  WHERE state = 'RELAUNCHING' AND instr(message, '; runs again as ') > 0;
)";

} // namespace

const SchemaSteps& history_schema_steps() {
  static const SchemaSteps steps{history_version_1, history_version_2};
  return steps;
}

} // namespace stoker
