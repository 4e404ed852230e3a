#include "tools/benchmark/dataset_words.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "jobs/jobs.hpp"
#include "tools/benchmark/figure.hpp"
#include "tools/benchmark/process.hpp"

namespace stoker::benchmark {

namespace {

using Word = std::pair<std::string_view, std::int64_t>;

void split_at_blanks(std::string_view line, jobs::Emit<Word>& emit) {
  while (!line.empty()) {
    auto end = std::min(line.find(' '), line.size());
    if (end > 0)
      emit({line.substr(0, end), 1});
    line.remove_prefix(std::min(end + 1, line.size()));
  }
}

std::int64_t add(std::int64_t a, std::int64_t b) {
  return a + b;
}

template <class T>
T result_of(Result<T> x) {
  if (!x)
    throw std::runtime_error(x.error().message);
  return *std::move(x);
}

} // namespace

DatasetCount count_by_dataset(const MasterAddress& master,
                              const std::string& text) {
  jobs::ContextConfig config;
  config.name = "wordcount";
  config.master = to_string(master);
  config.conf = {{"spark.executor.cores", "1"},
                 {"spark.executor.memory", "512m"},
                 {"spark.cores.max", "2"}};
  config.executor_command = {own_path(), dataset_executor};
  config.interrupted_by_signals = false;
  auto context = result_of(jobs::Context::start(std::move(config)));
  (void)result_of(context->range(0, 2, 2).count());
  auto begin = BenchClock::now();
  auto counts = result_of(result_of(context->text_files({text}))
                              .flat_map(jobs::fn<&split_at_blanks>)
                              .reduce_by_key(jobs::fn<&add>, 4)
                              .collect());
  DatasetCount result;
  result.seconds = seconds_since(begin);
  for (auto& [word, count] : counts)
    result.counts[word] += count;
  return result;
}

} // namespace stoker::benchmark
