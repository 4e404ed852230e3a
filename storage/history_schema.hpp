#pragma once

#include "storage/sqlite_schema.hpp"

namespace stoker {

/// Of a file of what has ended (docs/history.md). Steps are only ever appended.
const SchemaSteps& history_schema_steps();

} // namespace stoker
