#pragma once

// How long actors wait, in one place. None of these can be configured.

#include <chrono>

namespace stoker::defaults {

// -- masters -----------------------------------------------------------------

/// For a worker's answer to a request that the master passes on.
inline constexpr std::chrono::seconds worker_answer_timeout{10};

/// For an answer out of the history, which reads a file.
inline constexpr std::chrono::seconds history_answer_timeout{10};

/// For a program to take something of its input, until whoever asked is told that it
/// did not.
inline constexpr std::chrono::seconds input_patience{10};

/// For a plan or an estimate, from when the master is asked: then it is given up, before
/// whoever asked gives up, and the next one begins.
inline constexpr std::chrono::seconds planning_patience{10};

/// For the answer of a master that plans: it may say that it has given up.
inline constexpr std::chrono::seconds plan_answer_timeout{15};

// -- workers and applications -------------------------------------------------

/// For an attempt to connect to a master. Longer than one takes that succeeds.
inline constexpr std::chrono::seconds connect_timeout{10};

/// For the master's answer to a worker or an application. Longer than a master
/// takes that lives; workers repeat what was not answered.
inline constexpr std::chrono::seconds master_answer_timeout{10};

/// How much longer than the grace between TERM and KILL a worker that ends waits
/// for its supervisors. Those that take longer end their programs without it.
inline constexpr std::chrono::seconds supervisors_timeout{2};

/// How long a worker that ends still removes directories of applications that have ended.
inline constexpr std::chrono::seconds removal_timeout{5};

} // namespace stoker::defaults
