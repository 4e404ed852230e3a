#include "executor/result_output.hpp"

#include <limits>
#include <utility>
#include <vector>

#include "outputs/output_writer.hpp"

namespace stoker::executor {

namespace {

constexpr std::size_t copy_bytes = std::size_t{256} * 1024;

} // namespace

ResultOutput::ResultOutput(std::filesystem::path directory,
                           const TaskAttempt& attempt, int exec_id,
                           std::string scratch)
    : directory_(std::move(directory)), attempt_(attempt), exec_id_(exec_id),
      collected_({small_bytes_max, std::numeric_limits<std::uint64_t>::max(),
                  std::move(scratch)}) {
}

Status ResultOutput::append(std::string_view bytes) {
  return collected_.append(bytes);
}

Status ResultOutput::finish() {
  if (auto finished = collected_.finish(); !finished)
    return finished;
  if (collected_.size() > small_bytes_max)
    return write_output();
  auto text = collected_.text();
  if (!text)
    return std::move(text).error();
  small_ = *std::move(text);
  return {};
}

Status ResultOutput::write_output() {
  auto writer = OutputWriter::open(directory_, attempt_, exec_id_, 1);
  if (!writer)
    return std::move(writer).error();
  std::vector<char> buffer(copy_bytes);
  for (std::uint64_t at = 0; at < collected_.size();) {
    auto n = collected_.read(at, buffer);
    if (!n)
      return std::move(n).error();
    if (auto added = writer->append(0, {buffer.data(), *n}); !added)
      return added;
    at += *n;
  }
  auto committed = writer->commit();
  return committed ? Status{} : std::move(committed).error();
}

} // namespace stoker::executor
