#include "tools/stoker/notice.hpp"

#include <algorithm>
#include <iostream>

#include "messages/printable.hpp"

namespace stoker {

void print_notice(const std::string& text) {
  // One line, whatever a library puts into its errors.
  auto line = text;
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::cerr << "stoker: " << printable(line) << std::endl;
}

} // namespace stoker
