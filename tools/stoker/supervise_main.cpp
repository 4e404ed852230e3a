// stoker-supervise: what `stoker supervise` does, and nothing else of `stoker`.

#include "process/supervise.hpp"

int main() {
  return stoker::process::supervise_main();
}
