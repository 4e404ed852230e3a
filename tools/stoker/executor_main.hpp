#pragma once

namespace stoker {

/// Runs tasks of an application in this process, which a worker has started for it.
/// Not for people.
int executor_main();

} // namespace stoker
