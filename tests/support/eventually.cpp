#include "tests/support/eventually.hpp"

#include <algorithm>
#include <thread>

namespace stoker::test {

bool eventually(const std::function<bool()>& condition,
                std::chrono::milliseconds timeout) {
  constexpr std::chrono::milliseconds longest_pause{100};
  auto deadline = std::chrono::steady_clock::now() + timeout;
  for (std::chrono::milliseconds pause{2};; pause *= 2) {
    if (condition())
      return true;
    if (std::chrono::steady_clock::now() > deadline)
      return false;
    pause = std::min(pause, longest_pause);
    std::this_thread::sleep_for(pause);
  }
}

} // namespace stoker::test
