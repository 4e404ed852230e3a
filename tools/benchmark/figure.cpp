#include "tools/benchmark/figure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iostream>

#include <boost/json.hpp>

namespace stoker::benchmark {

namespace {

/// Four digits, and all of those before the point.
std::string digits(double x) {
  auto size = std::abs(x);
  const auto* format = size >= 1000 ? "%.0f" : size >= 100 ? "%.1f" : "%.4g";
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), format, x);
  return buffer.data();
}

} // namespace

double Samples::quantile(double q) const {
  if (values_.empty())
    return 0;
  auto ordered = values_;
  auto last = static_cast<double>(ordered.size() - 1);
  auto place = ordered.begin() + std::lround(q * last);
  std::nth_element(ordered.begin(), place, ordered.end());
  return *place;
}

Figure::Figure(const std::string& bench, const std::string& peer) {
  text("peer", peer).text("bench", bench);
}

Figure& Figure::text(const std::string& name, const std::string& value) {
  return field(name, boost::json::serialize(boost::json::value(value)));
}

Figure& Figure::flag(const std::string& name, bool value) {
  return text(name, value ? "true" : "false");
}

Figure& Figure::count(const std::string& name, std::int64_t value) {
  return field(name, std::to_string(value));
}

Figure& Figure::number(const std::string& name, double value) {
  return field(name, std::isfinite(value) ? digits(value) : "null");
}

Figure& Figure::latency(const std::string& name, const Samples& samples) {
  return number(name + "_min_ms", samples.min() * 1e3)
      .number(name + "_p50_ms", samples.median() * 1e3)
      .number(name + "_p99_ms", samples.quantile(0.99) * 1e3);
}

Figure& Figure::short_latency(const std::string& name, const Samples& samples) {
  return number(name + "_min_us", samples.min() * 1e6)
      .number(name + "_p50_us", samples.median() * 1e6)
      .number(name + "_p99_us", samples.quantile(0.99) * 1e6);
}

void Figure::print() const {
  std::string line = "{";
  for (const auto& [name, json] : fields_)
    line += (line.size() > 1 ? ",\"" : "\"") + name + "\":" + json;
  std::cout << line << "}" << std::endl;
}

Figure& Figure::field(const std::string& name, std::string json) {
  fields_.emplace_back(name, std::move(json));
  return *this;
}

} // namespace stoker::benchmark
