#include "executor/chained_input.hpp"

#include <utility>

namespace stoker::executor {

ChainedInput::ChainedInput(std::vector<std::unique_ptr<InputSource>> parts)
    : parts_(std::move(parts)) {
}

Result<Fed> ChainedInput::feed(int pipe) {
  if (at_ == parts_.size())
    return Fed{Feeding::finished, 0};
  auto fed = parts_[at_]->feed(pipe);
  if (!fed || fed->state != Feeding::finished)
    return fed;
  ++at_;
  // The next one has its turn later.
  if (at_ < parts_.size())
    fed->state = Feeding::pipe_full;
  return fed;
}

Result<Feeding> ChainedInput::check() {
  // Of those before all was given, and of those behind nothing.
  return at_ < parts_.size() ? parts_[at_]->check()
                             : Result<Feeding>{Feeding::finished};
}

int ChainedInput::descriptor() const {
  return at_ < parts_.size() ? parts_[at_]->descriptor() : -1;
}

std::unique_ptr<InputSource>
chain(std::vector<std::unique_ptr<InputSource>> parts) {
  if (parts.empty())
    return nullptr;
  if (parts.size() == 1)
    return std::move(parts.front());
  return std::make_unique<ChainedInput>(std::move(parts));
}

} // namespace stoker::executor
