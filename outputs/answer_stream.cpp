#include "outputs/answer_stream.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace stoker {

namespace {

OutputStatus status_of(Errc x) {
  switch (x) {
  case Errc::not_found:
    return OutputStatus::missing;
  case Errc::corrupt:
  case Errc::too_new:
    return OutputStatus::damaged;
  default:
    return OutputStatus::unreadable;
  }
}

} // namespace

void AnswerStream::refuse(OutputStatus status, const std::string& why) {
  auto text = why.substr(0, answer_text_max);
  head_ = to_bytes(AnswerHeader{status, 0,
                                static_cast<std::uint32_t>(text.size()), 0})
          + text;
}

void AnswerStream::begin(const OutputRequest& request) {
  auto index = indexes_.get(app_, directory_, request.attempt);
  if (!index)
    return refuse(status_of(index.code()), index.error().message);
  auto output = StoredOutput::open(directory_, *std::move(index));
  if (!output)
    return refuse(status_of(output.code()), output.error().message);
  const auto& partitions = output->index().partitions;
  auto [first, count] = request.partitions;
  if (count == PartitionRange::all && first < partitions.size())
    count = static_cast<std::uint32_t>(partitions.size()) - first;
  if (first >= partitions.size() || count > partitions.size() - first)
    return refuse(OutputStatus::out_of_range,
                  "the output of " + to_string(request.attempt) + " has "
                      + std::to_string(partitions.size()) + " partitions");
  const auto& last = partitions[first + count - 1];
  auto begin = partitions[first].offset;
  auto bytes = last.offset + last.bytes - begin;
  if (request.skip > bytes)
    return refuse(OutputStatus::out_of_range, "the output of "
                                                  + to_string(request.attempt)
                                                  + " has become shorter");
  head_ = to_bytes(AnswerHeader{OutputStatus::found, count, 0, bytes});
  size_at_ = first;
  size_end_ = first + count;
  data_at_ = begin + request.skip;
  data_end_ = begin + bytes;
  output_ = *std::move(output);
}

Result<std::size_t> AnswerStream::continue_output(std::span<char> into) {
  if (!head_.empty()) {
    auto n = std::min(head_.size(), into.size());
    std::memcpy(into.data(), head_.data(), n);
    head_.erase(0, n);
    return n;
  }
  if (!output_)
    return std::size_t{0};
  if (size_at_ != size_end_) {
    const auto& partitions = output_->index().partitions;
    auto room = into.size() / partition_size_bytes;
    for (; room > 0 && size_at_ != size_end_; --room, ++size_at_)
      put(head_, {partitions[size_at_].bytes, partitions[size_at_].checksum});
    return continue_output(into);
  }
  if (data_at_ != data_end_) {
    auto room = std::min<std::uint64_t>(into.size(), data_end_ - data_at_);
    auto n
        = output_->read(data_at_, into.first(static_cast<std::size_t>(room)));
    if (n)
      data_at_ += *n;
    return n;
  }
  output_.reset();
  return std::size_t{0};
}

Result<std::size_t> AnswerStream::fill(std::span<char> into) {
  std::size_t filled = 0;
  // Room for less would only make small pieces.
  while (into.size() - filled >= partition_size_bytes) {
    auto n = continue_output(into.subspan(filled));
    if (!n)
      return n;
    filled += *n;
    if (*n > 0)
      continue;
    if (next_ == request_.size())
      break;
    begin(request_[next_++]);
  }
  return filled;
}

} // namespace stoker
