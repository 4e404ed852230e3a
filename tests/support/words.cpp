#include "tests/support/words.hpp"

#include <charconv>
#include <sstream>
#include <stdexcept>

namespace stoker::test {

Words::Words(const std::string& line) : line_(line) {
  std::istringstream in{line};
  for (std::string word; in >> word;)
    words_.push_back(word);
}

std::string Words::next() {
  if (words_.empty())
    fail();
  auto result = words_.front();
  words_.pop_front();
  return result;
}

bool Words::take(const std::string& word) {
  if (words_.empty() || words_.front() != word)
    return false;
  words_.pop_front();
  return true;
}

std::int64_t Words::number() {
  auto word = next();
  std::int64_t result = 0;
  const char* end = word.data() + word.size();
  if (auto [rest, error] = std::from_chars(word.data(), end, result);
      error != std::errc{} || rest != end)
    fail();
  return result;
}

int Words::small_number() {
  return static_cast<int>(number());
}

std::optional<int> Words::number_after(const std::string& keyword) {
  if (!take(keyword))
    return std::nullopt;
  return small_number();
}

std::map<std::string, std::string>
Words::pairs_after(const std::string& keyword) {
  std::map<std::string, std::string> result;
  if (!take(keyword))
    return result;
  while (!words_.empty() && words_.front().find('=') != std::string::npos) {
    auto word = next();
    auto split = word.find('=');
    result[word.substr(0, split)] = word.substr(split + 1);
  }
  return result;
}

std::optional<int> Words::cores() {
  if (words_.size() < 2 || (words_[1] != "cores" && words_[1] != "core"))
    return std::nullopt;
  auto result = small_number();
  (void)next();
  return result;
}

std::int64_t Words::memory_mb() {
  auto amount = number();
  if (take("GB"))
    return amount * 1024;
  if (!take("MB"))
    fail();
  return amount;
}

Duration Words::duration() {
  auto word = next();
  std::int64_t amount = 0;
  const char* end = word.data() + word.size();
  auto [rest, error] = std::from_chars(word.data(), end, amount);
  std::string unit{rest, end};
  if (error != std::errc{} || (unit != "ms" && unit != "s" && unit != "m"))
    fail();
  return Duration{amount * (unit == "ms" ? 1 : unit == "s" ? 1000 : 60'000)};
}

void Words::fail() const {
  throw std::invalid_argument{"cannot read this command: " + line_};
}

} // namespace stoker::test
