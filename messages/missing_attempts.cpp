#include "messages/missing_attempts.hpp"

#include <utility>

namespace stoker {

std::optional<std::string> MissingAttempts::add(int attempt,
                                                const std::string& problem,
                                                std::int64_t bytes) {
  std::optional<std::string> other;
  if ((bytes > 0) != (bytes_ > 0))
    other = take();
  if (problem_.empty()) {
    first_ = attempt;
    problem_ = problem;
  }
  last_ = attempt;
  bytes_ += bytes;
  return other;
}

std::optional<std::string> MissingAttempts::take() {
  if (problem_.empty())
    return std::nullopt;
  auto problem = std::exchange(problem_, {});
  auto bytes = std::exchange(bytes_, 0);
  if (first_ == last_)
    return problem;
  if (bytes > 0)
    return std::to_string(bytes) + " bytes of attempts "
           + std::to_string(first_) + " to " + std::to_string(last_)
           + " are lost; of the first, " + problem;
  return "the output of attempts " + std::to_string(first_) + " to "
         + std::to_string(last_) + " is missing; of the first, " + problem;
}

} // namespace stoker
