#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "scheduling/common/instant.hpp"

namespace stoker::test {

/// The words of a command, taken one by one.
/// @throws std::invalid_argument when the next word is not what it has to be.
class Words {
public:
  explicit Words(const std::string& line);

  [[nodiscard]] bool empty() const noexcept {
    return words_.empty();
  }

  [[nodiscard]] const std::string& line() const noexcept {
    return line_;
  }

  std::string next();

  /// Takes `word` if it is the next one.
  bool take(const std::string& word);

  std::int64_t number();
  int small_number();

  /// The number behind `keyword`, if that is the next word.
  std::optional<int> number_after(const std::string& keyword);

  /// The `name=value` pairs behind `keyword`, if that is the next word.
  std::map<std::string, std::string> pairs_after(const std::string& keyword);

  /// `2 cores`, `1 core`; nothing when the next words say something else.
  std::optional<int> cores();

  /// `512 MB`, `10 GB`
  std::int64_t memory_mb();

  /// `1500ms`, `60s`, `16m`
  Duration duration();

  [[noreturn]] void fail() const;

private:
  std::string line_;
  std::deque<std::string> words_;
};

} // namespace stoker::test
