#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <thread>

#include "executor/chunk_queue.hpp"
#include "executor/input_source.hpp"
#include "outputs/output_client.hpp"

namespace stoker::executor {

/// What other tasks have written. A thread reads it, from the first use on.
///
/// Whether it was right is known at its end only. So a program that ends without having
/// read all of it has ended well when the rest was read here and all was right.
class FetchedInput : public InputSource {
public:
  /// Begins to read. Called on the thread.
  using Open = std::function<OutputReader(std::stop_token stop)>;

  /// Called on the thread before the task fails for it.
  using Failed = std::function<void(const FetchFailure& failure)>;

  FetchedInput(Open open, Failed failed);

  /// Stops reading.
  ~FetchedInput() override;

  Result<Fed> feed(int pipe) override;
  Result<Feeding> check() override;
  [[nodiscard]] int descriptor() const override;

private:
  void read(const std::stop_token& stop) const;

  const Open open_;
  const Failed failed_;
  const std::shared_ptr<ChunkQueue> queue_;
  ChunkInput chunks_;
  // Last: it uses the others.
  std::jthread thread_;
};

} // namespace stoker::executor
