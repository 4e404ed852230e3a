#pragma once

#include <cstdint>
#include <string>

#include "process/unique_fd.hpp"

namespace stoker::process::test {

/// What a JVM asks when it comes to its worker, as a frame: whether an endpoint of
/// the name "Worker" exists. 176 bytes.
std::string spark_question(std::uint64_t id);

/// A program that connects to a supervisor's port, as a JVM of Spark's does.
class SparkClient {
public:
  /// @param url As the program gets it; the test fails if it is none.
  explicit SparkClient(const std::string& url);

  void send(const std::string& text) const;

  /// The next so many bytes, or fewer if the connection ends before.
  [[nodiscard]] std::string receive(std::size_t size) const;

  /// Asks and gets the right answer.
  [[nodiscard]] bool is_answered(std::uint64_t id = 1) const;

  /// Waits for the end of the connection.
  [[nodiscard]] bool is_disconnected() const;

private:
  UniqueFd fd_;
};

} // namespace stoker::process::test
