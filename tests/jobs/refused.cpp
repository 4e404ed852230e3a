// Does not compile: functions that cannot travel, and the compiler says what to do.

#include "jobs/functions.hpp"

namespace {

template <class F>
void use(F) {
  stoker::jobs::require_job_function<F>();
}

} // namespace

int main() {
#ifdef STOKER_POINTER
  use(&main);
#else
  auto captured = 1;
  use([captured] { return captured; });
#endif
}
