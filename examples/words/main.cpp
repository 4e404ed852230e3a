// Counts the words of files on a cluster:
//
//     words 'texts/*.txt' [MASTER]
//
// Prints the ten most frequent ones, and how long it took.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include <spdlog/spdlog.h>

#include "jobs/jobs.hpp"

namespace jobs = stoker::jobs;

namespace {

/// A word is a view into its line: no text is copied before words are counted.
using Word = std::pair<std::string_view, std::int64_t>;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

void split(std::string_view line, jobs::Emit<Word>& emit) {
  const auto* at = line.begin();
  for (;;) {
    at = std::find_if_not(at, line.end(), is_blank);
    if (at == line.end())
      return;
    const auto* end = std::find_if(at, line.end(), is_blank);
    emit({std::string_view{at, static_cast<std::size_t>(end - at)}, 1});
    at = end;
  }
}

std::int64_t add(std::int64_t a, std::int64_t b) {
  return a + b;
}

int fail(const stoker::Error& why) {
  std::cerr << "words: " << why.message << '\n';
  return EXIT_FAILURE;
}

int run(const std::string& files, const std::string& master) {
  using Clock = std::chrono::steady_clock;
  spdlog::set_level(spdlog::level::warn);
  auto begin = Clock::now();
  jobs::ContextConfig config;
  config.name = "words";
  config.master = master;
  config.supervisor = STOKER_PROGRAM;
  auto context = jobs::Context::start(config);
  if (!context)
    return fail(context.error());
  auto lines = (*context)->text_files({files});
  if (!lines)
    return fail(lines.error());
  auto job_begin = Clock::now();
  auto counts = lines->flat_map(jobs::fn<&split>)
                    .reduce_by_key(jobs::fn<&add>, 4)
                    .collect();
  if (!counts)
    return fail(counts.error());
  auto end = Clock::now();
  auto middle
      = counts->begin() + std::min<std::ptrdiff_t>(10, std::ssize(*counts));
  std::partial_sort(
      counts->begin(), middle, counts->end(), [](const auto& a, const auto& b) {
        return std::pair{-a.second, a.first} < std::pair{-b.second, b.first};
      });
  for (auto x = counts->begin(); x != middle; ++x)
    std::printf("%10lld %s\n", static_cast<long long>(x->second),
                x->first.c_str());
  std::int64_t sum = 0;
  for (const auto& [word, count] : *counts)
    sum += count;
  auto seconds
      = [](auto x) { return std::chrono::duration<double>(x).count(); };
  std::fprintf(
      stderr, "%lld words, %zu different ones: %.2f s, %.2f s of it to start\n",
      static_cast<long long>(sum), counts->size(), seconds(end - begin),
      seconds(job_begin - begin));
  return EXIT_SUCCESS;
}

} // namespace

int main(int argc, char** argv) {
  if (auto code = jobs::executor_main(argc, argv))
    return *code;
  if (argc < 2) {
    std::cerr << "usage: words FILES [MASTER]\n";
    return 2;
  }
  return run(argv[1], argc > 2 ? argv[2] : "");
}
