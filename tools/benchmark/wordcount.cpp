// Words of a large text, counted by jobs of programs and of functions, and by a pipe of
// the same programs. The lines are those of a harness that measures other systems (see
// docs/performance.md).

#include <openssl/evp.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/dataset_words.hpp"
#include "tools/benchmark/job_cluster.hpp"
#include "tools/benchmark/master_process.hpp"

namespace stoker::benchmark {

namespace {

/// 100,000 words, the k-th of them with a frequency of 1/k, twelve in a line.
void write_text(const std::string& path, std::int64_t bytes) {
  constexpr std::size_t vocabulary = 100'000;
  constexpr int words_in_line = 12;
  std::mt19937_64 random{20261121};
  std::vector<std::string> words;
  std::map<std::string, bool> seen;
  while (words.size() < vocabulary) {
    std::string word(2 + random() % 9, 'a');
    for (auto& letter : word)
      letter = static_cast<char>('a' + random() % 26);
    if (seen.emplace(word, true).second)
      words.push_back(std::move(word));
  }
  std::vector<double> weights;
  for (std::size_t i = 0; i < vocabulary; ++i)
    weights.push_back(1.0 / static_cast<double>(i + 1));
  std::discrete_distribution<std::size_t> next(weights.begin(), weights.end());
  std::ofstream out{path, std::ios::binary};
  std::int64_t written = 0;
  while (written < bytes) {
    std::string line;
    for (int i = 0; i < words_in_line; ++i)
      line += words[next(random)] + (i + 1 < words_in_line ? " " : "\n");
    out << line;
    written += static_cast<std::int64_t>(line.size());
  }
}

void run_command(const std::string& command) {
  if (std::system(command.c_str()) != 0)
    throw std::runtime_error("failed: " + command);
}

/// The first half of SHA-256 over "word count\n", in the order of words.
std::string digest_of(const WordCounts& counts) {
  std::string text;
  for (const auto& [word, count] : counts)
    text += word + " " + std::to_string(count) + "\n";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (::EVP_Digest(text.data(), text.size(), digest.data(), &size,
                   ::EVP_sha256(), nullptr)
      != 1)
    throw std::runtime_error("no SHA-256");
  std::string result;
  for (std::size_t i = 0; i < 8; ++i) {
    char byte[3] = {};
    std::snprintf(byte, sizeof byte, "%02x", digest[i]);
    result += byte;
  }
  return result;
}

/// @param count_first As `uniq -c` writes it; else "word\tcount".
void add_counts(const std::filesystem::path& file, bool count_first,
                WordCounts& counts) {
  std::ifstream in{file};
  std::string word;
  std::int64_t count = 0;
  while (count_first ? static_cast<bool>(in >> count >> word)
                     : static_cast<bool>(in >> word >> count))
    counts[word] += count;
}

void print_wordcount(const std::string& idiom, double seconds,
                     const WordCounts& counts, const std::string& expected) {
  auto digest = digest_of(counts);
  if (!expected.empty() && digest != expected)
    throw std::runtime_error("'" + idiom + "' counted otherwise");
  std::int64_t words = 0;
  for (const auto& [word, count] : counts)
    words += count;
  Figure{"wordcount"}
      .text("idiom", idiom)
      .count("slots", 2)
      .number("seconds", seconds)
      .number("distinct", static_cast<double>(counts.size()))
      .number("words", static_cast<double>(words))
      .text("digest", digest)
      .print();
}

} // namespace

void wordcount(Extent extent) {
  // Of the cluster's programs, too.
  ::setenv("LC_ALL", "C", 1);
  LocalProcess cluster{2};
  const auto& files = cluster.directory();
  auto text = files + "/words.txt";
  if (const auto* given = std::getenv("STOKER_BENCH_WORDS"))
    text = given;
  else
    write_text(text, extent.of<std::int64_t>(200'000'000, 2'000'000));
  auto begin = BenchClock::now();
  run_command("tr -s ' ' '\\n' < '" + text + "' | sort --parallel=2 -S 1G -T '"
              + files + "' | uniq -c > '" + files + "/pipe'");
  auto seconds = seconds_since(begin);
  WordCounts counts;
  add_counts(files + "/pipe", true, counts);
  auto digest = digest_of(counts);
  print_wordcount("pipe: tr|sort|uniq -c", seconds, counts, digest);

  struct Idiom {
    const char* name;
    const char* map;
    const char* reduce;
    bool count_first;
  };
  // With the pipe's programs alone, and with its counts before the shuffle.
  for (const auto& idiom :
       {Idiom{"job: tr, shuffle, sort|uniq -c", "tr -s ' ' '\\n'",
              "sort -S 256M | uniq -c", true},
        Idiom{"job: tr|sort|uniq -c, shuffle, awk",
              "tr -s ' ' '\\n' | sort -S 256M | uniq -c | "
              "awk '{ print $2 \"\\t\" $1 }'",
              "awk '{ n[$1] += $2 } END { for (x in n) print x \"\\t\" n[x] }'",
              false}}) {
    auto output = files + "/counts" + (idiom.count_first ? "1" : "2");
    ::setenv("STOKER_BENCH_MAP", idiom.map, 1);
    ::setenv("STOKER_BENCH_REDUCE", idiom.reduce, 1);
    begin = BenchClock::now();
    run_command("exec '" + stoker_path() + "' job --quiet --master "
                + to_string(cluster.address()) + " --input '" + text
                + "' --map \"$STOKER_BENCH_MAP\" --partitions 4 --reduce "
                  "\"$STOKER_BENCH_REDUCE\" --output '"
                + output + "'");
    seconds = seconds_since(begin);
    WordCounts ours;
    for (const auto& part : std::filesystem::directory_iterator{output})
      add_counts(part.path(), idiom.count_first, ours);
    print_wordcount(idiom.name, seconds, ours, digest);
  }
  auto counted = count_by_dataset(cluster.address(), text);
  print_wordcount("C++: text_files.flat_map.reduce_by_key.collect",
                  counted.seconds, counted.counts, digest);
}

} // namespace stoker::benchmark
