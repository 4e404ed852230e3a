#include "messages/missing_attempts.hpp"

#include <utility>

namespace stoker {

void MissingAttempts::add(int attempt, const std::string& problem) {
  if (problem_.empty()) {
    first_ = attempt;
    problem_ = problem;
  }
  last_ = attempt;
}

std::optional<std::string> MissingAttempts::take() {
  if (problem_.empty())
    return std::nullopt;
  auto problem = std::exchange(problem_, {});
  if (first_ == last_)
    return problem;
  return "the output of attempts " + std::to_string(first_) + " to "
         + std::to_string(last_) + " is missing; of the first, " + problem;
}

} // namespace stoker
