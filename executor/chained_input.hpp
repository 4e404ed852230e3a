#pragma once

#include <memory>
#include <vector>

#include "executor/input_source.hpp"

namespace stoker::executor {

/// Several inputs, one after the other.
class ChainedInput : public InputSource {
public:
  explicit ChainedInput(std::vector<std::unique_ptr<InputSource>> parts);

  Result<Fed> feed(int pipe) override;
  Result<Feeding> check() override;
  [[nodiscard]] int descriptor() const override;

private:
  std::vector<std::unique_ptr<InputSource>> parts_;

  /// The one that is read.
  std::size_t at_ = 0;
};

/// One input of all: as few objects as it takes. Null: there are none.
std::unique_ptr<InputSource>
chain(std::vector<std::unique_ptr<InputSource>> parts);

} // namespace stoker::executor
