// The supervisor of the programs that tests start.

#include "process/supervise.hpp"

int main() {
  return stoker::process::supervise_main();
}
