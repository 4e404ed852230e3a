#include "metrics/open_metrics.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <sstream>

#include <prometheus/text_serializer.h>

namespace stoker {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

constexpr std::string_view open_metrics_type = "application/openmetrics-text";
constexpr std::string_view total = "_total";

/// Takes what stands before the next separator away, without spaces around it.
std::string_view take(std::string_view& from, char separator) {
  auto end = std::min(from.find(separator), from.size());
  auto result = from.substr(0, end);
  from.remove_prefix(std::min(end + 1, from.size()));
  auto begin = std::min(result.find_first_not_of(" \t"), result.size());
  result.remove_prefix(begin);
  return result.substr(0, result.find_last_not_of(" \t") + 1);
}

/// How much somebody wants a type, from 0 to 1 (RFC 9110, section 12.5.1): 0 where he does
/// not name it.
double weight_of(std::string_view type, std::string_view accept) {
  double result = 0;
  while (!accept.empty()) {
    auto range = take(accept, ',');
    if (take(range, ';') != type)
      continue;
    double weight = 1;
    while (!range.empty())
      if (auto parameter = take(range, ';'); parameter.starts_with("q="))
        std::from_chars(parameter.data() + 2,
                        parameter.data() + parameter.size(), weight);
    result = std::max(result, weight);
  }
  return result;
}

std::string number(double x) {
  if (std::isnan(x))
    return "NaN";
  if (std::isinf(x))
    return x > 0 ? "+Inf" : "-Inf";
  // As people would write it: 0.0001 and 1000000 rather than 1e-04 and 1e+06.
  auto is_common = x == 0 || (std::abs(x) >= 1e-4 && std::abs(x) < 1e15);
  std::array<char, 32> text{};
  auto end = std::to_chars(text.data(), text.data() + text.size(), x,
                           is_common ? std::chars_format::fixed
                                     : std::chars_format::general)
                 .ptr;
  return {text.data(), end};
}

/// Bounds are compared as texts: "1.0", wherever it is asked for.
std::string bound(double x) {
  auto result = number(x);
  if (result.find_first_not_of("0123456789") == std::string::npos)
    result += ".0";
  return result;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (auto c : text)
    if (c == '\n')
      result += "\\n";
    else if (c == '\\' || c == '"')
      (result += '\\') += c;
    else
      result += c;
  return result;
}

/// Writes the lines of one family.
class FamilyWriter {
public:
  FamilyWriter(std::string& out, const MetricFamily& family)
      : out_(out), family_(family), name_(family.name) {
    if (family.type == MetricType::Counter && name_.ends_with(total))
      name_.remove_suffix(total.size());
  }

  void write() {
    head();
    for (const auto& metric : family_.metric)
      switch (family_.type) {
      case MetricType::Counter:
        sample(total, metric, {}, number(metric.counter.value));
        break;
      case MetricType::Histogram:
        histogram(metric);
        break;
      default:
        sample({}, metric, {}, number(metric.gauge.value));
      }
  }

private:
  void line(std::string_view what, std::string_view text) {
    (((((out_ += "# ") += what) += ' ') += name_) += ' ') += text;
    out_ += '\n';
  }

  void head() {
    auto is_counter = family_.type == MetricType::Counter;
    auto is_histogram = family_.type == MetricType::Histogram;
    line("TYPE", is_counter ? "counter" : is_histogram ? "histogram" : "gauge");
    for (const auto* unit : {"seconds", "bytes"})
      if (name_.ends_with(std::string{"_"} + unit))
        line("UNIT", unit);
    line("HELP", escaped(family_.help));
  }

  /// @param extra one more label, as le="0.1"
  void sample(std::string_view suffix, const ClientMetric& metric,
              const std::string& extra, const std::string& value) {
    (out_ += name_) += suffix;
    auto begin = '{';
    for (const auto& label : metric.label) {
      ((((out_ += begin) += label.name) += "=\"") += escaped(label.value))
          += '"';
      begin = ',';
    }
    if (!extra.empty()) {
      (out_ += begin) += extra;
      begin = ',';
    }
    if (begin == ',')
      out_ += '}';
    ((out_ += ' ') += value) += '\n';
  }

  void histogram(const ClientMetric& metric) {
    const auto& x = metric.histogram;
    for (const auto& bucket : x.bucket)
      sample("_bucket", metric, "le=\"" + bound(bucket.upper_bound) + '"',
             std::to_string(bucket.cumulative_count));
    sample("_count", metric, {}, std::to_string(x.sample_count));
    sample("_sum", metric, {}, number(x.sample_sum));
  }

  std::string& out_;
  const MetricFamily& family_;
  std::string_view name_;
};

} // namespace

MetricsFormat metrics_format(std::string_view accept) {
  auto open_metrics = weight_of(open_metrics_type, accept);
  return open_metrics > 0 && open_metrics >= weight_of("text/plain", accept)
             ? MetricsFormat::open_metrics
             : MetricsFormat::text;
}

std::string content_type_of(MetricsFormat format) {
  if (format == MetricsFormat::text)
    return "text/plain; version=0.0.4; charset=utf-8";
  return std::string{open_metrics_type} + "; version=1.0.0; charset=utf-8";
}

std::string write_metrics(const std::vector<MetricFamily>& families,
                          MetricsFormat format) {
  if (format == MetricsFormat::text)
    return prometheus::TextSerializer{}.Serialize(families);
  std::string result;
  for (const auto& family : families)
    FamilyWriter{result, family}.write();
  return result + "# EOF\n";
}

} // namespace stoker
