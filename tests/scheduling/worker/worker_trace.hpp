#pragma once

#include <optional>
#include <string>

#include "tests/scheduling/worker/played_worker.hpp"
#include "tests/support/words.hpp"

namespace stoker::test {

/// Steps a WorkerLogic by commands that people can read, and renders what
/// follows. Each command may begin with `at TIME`.
///
///     new worker [masters N] [keep N]    forgets everything
///     started | connected | disconnected | tick | stop
///     connection failed REASON...
///     registered | refused WHY... | standby | reconnect | decommission | leader
///     launch APP/N [index N] [secret]    kill APP/N
///     driver ID [supervise]              kill driver ID
///     finished APP
///     acknowledged APP/N STATE
///     runs KEY                           the process of KEY does
///     exits KEY STATUS                   so with an exit code
///     signal KEY NUMBER                  ended by a signal
///     fails KEY [STATUS]                 it could not be started
///     vanishes KEY                       its supervisor was killed
///     found APP/N [killed] [of WORKER]   left by a dead worker
///     found driver ID [attempts N] [pause MS] [supervise] [killed] [finished]
///         [of WORKER]
///     found directory NAME | found outputs APP
///     missing KEY                        what was found had not been started
class WorkerTrace {
public:
  std::string run(const std::string& line);

private:
  void renew(Words& words);

  Instant now_;
  PlayedWorker worker_;
};

/// `app-1/0`
ExecutorId executor_id(const std::string& text);

std::string to_string(const WorkerEffect& x);

} // namespace stoker::test
