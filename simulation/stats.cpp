#include "simulation/stats.hpp"

#include <boost/core/demangle.hpp>

namespace stoker::simulation {

void Stats::add(const Stats& other) {
  for (const auto& [what, times] : other.named_)
    named_[what] += times;
  for (const auto& [what, times] : other.typed_)
    typed_[what] += times;
}

std::map<std::string, std::uint64_t> Stats::all() const {
  auto result = named_;
  for (const auto& [what, times] : typed_) {
    auto name = boost::core::demangle(what.second.name());
    if (auto i = name.rfind(':'); i != std::string::npos)
      name.erase(0, i + 1);
    result[std::string{what.first} + ": " + name] += times;
  }
  return result;
}

} // namespace stoker::simulation
