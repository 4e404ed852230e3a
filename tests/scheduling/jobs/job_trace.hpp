#pragma once

#include <optional>
#include <string>

#include "scheduling/jobs/job_history.hpp"
#include "scheduling/jobs/job_scheduler.hpp"
#include "tests/support/words.hpp"

namespace stoker::test {

/// Steps a JobScheduler by commands that people can read, renders what follows, and
/// checks the invariants. Each command may begin with `at TIME`.
///
///     new [NAME=VALUE...]       forgets everything; fields of JobsConfig
///     job N [pool P] STAGE...   a stage is NUMBERxTASKS[<READ][-READ][*CORES]
///         [fails=N] [limit=TIME] [at=HOST,HOST...]: < by partition, - task by task.
///         Those that no other reads have results.
///     cancel N | release NUMBER...
///     executor N [on HOST] [of WORKER] [N cores]
///     leave N | keep N
///     disconnected N | ended N [by itself] | lost WORKER
///     done ATTEMPT [in TIME] [stored] [on N]     an attempt is STAGE/TASK.ATTEMPT
///     fails ATTEMPT WHY | killed ATTEMPT | fills ATTEMPT: the disk there is full
///     misses ATTEMPT OUTPUT [unreachable]
///     returns N ATTEMPT...
///     fetched ATTEMPT [failed]
///     tick
///
///     report                    what people are told of jobs and stages
class JobTrace {
public:
  std::string run(const std::string& line);

private:
  void renew(Words& words);
  JobsEvent event(const std::string& verb, Words& words);
  StatusUpdates status(const std::string& verb, Words& words);

  Instant now_;
  JobScheduler scheduler_{JobsConfig{}};
  JobHistory history_;
};

TaskAttempt task_attempt(const std::string& text);

/// "1x2<0*2"
StageSpec stage_spec(const std::string& text);

RegisterExecutor executor(int exec_id, int cores = 1,
                          const std::string& host = "h1",
                          const std::string& worker = "");

} // namespace stoker::test
