#pragma once

// All that a program with jobs includes. See docs/library.md.

#include "jobs/context.hpp"
#include "jobs/dataset.hpp"
#include "jobs/executor_main.hpp"
#include "jobs/functions.hpp"
#include "jobs/pool_of_thread.hpp"
#include "jobs/task_context.hpp"
