#include "storage/message_log_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <tuple>
#include <utility>

namespace stoker {

namespace {

namespace fs = std::filesystem;

LogFileHeader read_header(const std::string& path) {
  // A line of a device may have no end.
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_regular_file(path, error))
    throw std::runtime_error{"cannot read the message log " + path
                             + ": not a regular file"};
  errno = 0;
  std::ifstream in{path};
  std::string line;
  if (!in || (!std::getline(in, line) && errno != 0))
    throw std::runtime_error{"cannot read the message log " + path + ": "
                             + std::strerror(errno)};
  try {
    return parse_log_file_header(line);
  } catch (const std::runtime_error& e) {
    throw std::runtime_error{path + ": " + e.what()};
  }
}

/// The name without the number that an older file has at its end.
std::string stem_of(const std::string& name) {
  auto dot = name.find_last_not_of("0123456789");
  auto numbered
      = dot != std::string::npos && name[dot] == '.' && dot + 1 < name.size();
  return numbered ? name.substr(0, dot) : name;
}

struct Segment {
  std::uint64_t number = 0;
  std::string path;
};

/// All of one series in the folder of `path`.
std::vector<Segment> segments_beside(const fs::path& path,
                                     const std::string& series) {
  std::vector<Segment> result;
  auto folder = path.has_parent_path() ? path.parent_path() : fs::path{"."};
  auto stem = stem_of(path.filename().string());
  std::error_code error;
  for (const auto& entry : fs::directory_iterator{folder, error}) {
    auto name = entry.path().filename().string();
    std::error_code ignored;
    if (!name.starts_with(stem) || !entry.is_regular_file(ignored))
      continue;
    try {
      auto header = read_header(entry.path().string());
      auto shown = path.has_parent_path() ? entry.path() : fs::path{name};
      if (header.series == series)
        result.push_back({header.segment, shown.string()});
    } catch (const std::exception&) {
      // It is another thing with a name that begins so.
      continue;
    }
  }
  std::sort(result.begin(), result.end(), [](const auto& x, const auto& y) {
    return std::tie(x.number, x.path) < std::tie(y.number, y.path);
  });
  return result;
}

} // namespace

Result<LogKind> log_kind(const std::string& path) {
  return if_readable([&] { return read_header(path).kind; });
}

std::vector<std::string> message_log_files(const std::string& path) {
  auto header = read_header(path);
  if (header.series.empty())
    return {path};
  std::vector<std::string> result;
  std::uint64_t last = 0;
  for (const auto& x : segments_beside(path, header.series)) {
    if (x.number == last)
      continue; // A copy.
    if (x.number > last + 1) {
      if (last >= header.segment)
        break;
      result.clear();
    }
    last = x.number;
    result.push_back(x.number == header.segment ? path : x.path);
  }
  return result;
}

template <class Format>
LogReader<Format>::LogReader(std::istream& in) : in_(&in) {
  begin();
  next_step_ = header_.first_step;
}

template <class Format>
LogReader<Format>::LogReader(std::vector<std::string> files)
    : files_(std::move(files)), in_(&file_) {
  if (files_.empty())
    throw std::runtime_error{"no message log was named"};
  static_cast<LogFileHeader&>(header_) = read_header(files_.front());
  next_step_ = header_.first_step;
  begin_next_file();
}

template <class Format>
std::string LogReader<Format>::prefix() const {
  return next_file_ == 0 ? "" : files_[next_file_ - 1] + ": ";
}

template <class Format>
void LogReader<Format>::begin() {
  std::string line;
  std::getline(*in_, line);
  line_number_ = 1;
  header_ = Format::parse_header(line);
}

template <class Format>
bool LogReader<Format>::begin_next_file() {
  if (next_file_ == files_.size())
    return false;
  auto series = header_.series;
  const auto& path = files_[next_file_++];
  file_ = std::ifstream{path};
  if (!file_)
    throw std::runtime_error{"cannot read the message log " + path + ": "
                             + std::strerror(errno)};
  try {
    begin();
  } catch (const std::runtime_error& e) {
    throw std::runtime_error{prefix() + e.what()};
  }
  if (header_.series != series || header_.first_step != next_step_)
    throw std::runtime_error{
        prefix() + "does not follow " + files_[next_file_ - 2]
        + ", which ends before step " + std::to_string(next_step_)};
  return true;
}

template <class Format>
std::optional<typename Format::Step> LogReader<Format>::next() {
  std::string line;
  // Without its end a line may be cut off anywhere, even where it still reads
  // as JSON. Its step was not carried out as a whole.
  while (!std::getline(*in_, line) || in_->eof())
    if (!begin_next_file())
      return std::nullopt;
  ++line_number_;
  try {
    auto step = Format::parse_step(std::move(line));
    if (step.at < last_at_)
      throw std::runtime_error{"its time is before the last one's"};
    last_at_ = step.at;
    step.number = next_step_++;
    return step;
  } catch (const std::exception& e) {
    throw std::runtime_error{prefix() + "line " + std::to_string(line_number_)
                             + " is damaged: " + e.what()};
  }
}

template class LogReader<MasterLog>;
template class LogReader<TaskLog>;

} // namespace stoker
