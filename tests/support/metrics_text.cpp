#include "tests/support/metrics_text.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <utility>

#include "tests/support/catch.hpp"

namespace stoker::test {

namespace {

/// Reads line by line.
class Reader {
public:
  void read(const std::string& line) {
    INFO(line);
    REQUIRE_FALSE(has_ended_);
    if (line == "# EOF")
      has_ended_ = true;
    else if (line.starts_with("# "))
      read_comment(line);
    else
      read_sample(line);
  }

  void finish() const {
    CHECK(last_bucket_.empty());
  }

  std::map<std::string, double> series;

private:
  /// "# HELP NAME ...", "# TYPE NAME KIND" or "# UNIT NAME ...".
  void read_comment(const std::string& line) {
    std::istringstream in{line.substr(2)};
    std::string what;
    std::string name;
    in >> what >> name;
    if (name != family_) {
      CHECK(families_.insert(name).second);
      family_ = name;
      kind_.clear();
      has_help_ = false;
    }
    CHECK(comments_.insert(what + ' ' + name).second);
    if (what == "TYPE")
      in >> kind_;
    has_help_ = has_help_ || what == "HELP";
  }

  void read_sample(const std::string& line) {
    auto space = line.rfind(' ');
    REQUIRE(space != std::string::npos);
    auto key = line.substr(0, space);
    auto name = key.substr(0, key.find('{'));
    std::size_t end = 0;
    auto value = std::stod(line.substr(space + 1), &end);
    CHECK(end == line.size() - space - 1);
    CHECK_FALSE(std::isnan(value));
    CHECK(series.emplace(key, value).second);
    // The older format has a counter's suffix in the name of its family, too.
    CHECK(name.starts_with(family_));
    CHECK(has_help_);
    CHECK_FALSE(kind_.empty());
    auto suffix = name.substr(std::min(family_.size(), name.size()));
    if (kind_ == "histogram") {
      CHECK(
          std::set<std::string>{"_bucket", "_count", "_sum"}.contains(suffix));
      if (suffix == "_bucket")
        read_bucket(key, value);
    } else {
      CHECK((suffix.empty() || (kind_ == "counter" && suffix == "_total")
             || (kind_ == "info" && suffix == "_info")));
    }
  }

  /// Buckets of a series come in the order of their bounds.
  void read_bucket(const std::string& key, double value) {
    auto bound = std::min(key.find("{le=\""), key.find(",le=\""));
    REQUIRE(bound != std::string::npos);
    auto of = key.substr(0, bound);
    if (!last_bucket_.empty()) {
      CHECK(of == last_bucket_);
      CHECK(value >= last_value_);
    }
    last_value_ = value;
    last_bucket_ = key.substr(bound + 1).starts_with("le=\"+Inf\"") ? "" : of;
  }

  std::set<std::string> families_;
  std::set<std::string> comments_;
  std::string family_;
  std::string kind_;
  bool has_help_ = false;

  /// The series of a histogram whose bucket for `+Inf` has not come yet.
  std::string last_bucket_;
  double last_value_ = 0;
  bool has_ended_ = false;
};

} // namespace

std::map<std::string, double> read_metrics(const std::string& text) {
  REQUIRE(text.ends_with('\n'));
  Reader reader;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);)
    reader.read(line);
  reader.finish();
  return std::move(reader.series);
}

} // namespace stoker::test
