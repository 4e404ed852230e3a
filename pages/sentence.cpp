#include "pages/sentence.hpp"

namespace stoker::pages {

std::string sentence(std::string x) {
  auto first = x.substr(0, x.find(' '));
  auto is_id = first.find_first_of("0123456789-") != std::string::npos;
  if (!is_id && !x.empty() && x.front() >= 'a' && x.front() <= 'z')
    x.front() = static_cast<char>(x.front() - 'a' + 'A');
  return x.ends_with('.') ? x : x + '.';
}

} // namespace stoker::pages
