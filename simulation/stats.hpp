#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <typeindex>
#include <utility>
#include <variant>

namespace stoker::simulation {

/// What has happened how often: whether a run covers what it should.
class Stats {
public:
  void count(const std::string& what, std::uint64_t times = 1) {
    named_[what] += times;
  }

  /// Counts the alternative that a variant holds.
  template <class Variant>
  void count_event(const char* group, const Variant& x) {
    std::visit(
        [&]<class T>(const T&) {
          ++typed_[{group, std::type_index{typeid(T)}}];
        },
        x);
  }

  void add(const Stats& other);

  /// By name, of all kinds.
  [[nodiscard]] std::map<std::string, std::uint64_t> all() const;

private:
  std::map<std::string, std::uint64_t> named_;
  std::map<std::pair<std::string_view, std::type_index>, std::uint64_t> typed_;
};

} // namespace stoker::simulation
