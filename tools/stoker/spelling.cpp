#include "tools/stoker/spelling.hpp"

#include <algorithm>
#include <cstddef>

namespace stoker {

namespace {

/// Any two shorter words are near each other.
constexpr std::size_t word_bytes_min = 3;

/// Nobody misspells longer words by a letter, and comparing takes the square.
constexpr std::size_t word_bytes_max = 64;

/// How many letters are missing, too many, wrong, or exchanged with the next one.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      auto wrong = a[i - 1] == b[j - 1] ? 0U : 1U;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + wrong});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

} // namespace

std::string did_you_mean(std::string_view word,
                         const std::vector<std::string_view>& choices) {
  if (word.size() < word_bytes_min || word.size() > word_bytes_max)
    return {};
  std::string_view nearest;
  auto least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (auto choice : choices) {
    if (choice.size() > word_bytes_max)
      continue;
    if (auto distance = edit_distance(word, choice); distance < least) {
      least = distance;
      nearest = choice;
    }
  }
  if (nearest.empty())
    return {};
  return " (did you mean '" + std::string{nearest} + "'?)";
}

} // namespace stoker
