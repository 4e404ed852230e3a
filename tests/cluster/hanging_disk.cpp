// Preloaded into a process, it lets its disk hang: nothing is synced while the
// file exists that STOKER_TEST_DISK_HANGS names.

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>

namespace {

void wait_for_disk() {
  const char* file = std::getenv("STOKER_TEST_DISK_HANGS");
  while (file != nullptr && ::access(file, F_OK) == 0)
    ::usleep(10'000);
}

using Sync = int (*)(int);

Sync next(const char* name) {
  return reinterpret_cast<Sync>(::dlsym(RTLD_NEXT, name));
}

} // namespace

extern "C" int fsync(int fd) {
  wait_for_disk();
  return next("fsync")(fd);
}

extern "C" int fdatasync(int fd) {
  wait_for_disk();
  return next("fdatasync")(fd);
}
