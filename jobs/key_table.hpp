#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "jobs/key.hpp"
#include "jobs/owned.hpp"

namespace stoker::jobs {

/// The part of a hash that a table keeps, and by which what it held is sorted.
inline std::uint32_t short_hash_of(std::uint64_t hash) noexcept {
  return static_cast<std::uint32_t>(hash >> 16);
}

/// Values by key, in the order in which their keys came.
///
/// A table of places in a list of entries: a look-up touches one place as a rule, and one
/// entry. Grows; single entries cannot be removed.
template <class K, class V>
class KeyTable {
public:
  using Entry = std::pair<K, V>;

  /// The value of a key. If there was none: calls `make(key)`, which returns the entry.
  /// Returns the value, and whether it is new.
  /// @param hash That of the key.
  template <class Other, class Make>
  std::pair<V*, bool> find_or_add(std::uint64_t hash, const Other& key,
                                  Make&& make) {
    if ((entries_.size() + 1) * 4 > places_.size() * 3)
      grow();
    auto short_hash = short_hash_of(hash);
    auto mask = places_.size() - 1;
    for (auto i = hash & mask;; i = (i + 1) & mask) {
      auto& place = places_[i];
      if (place.entry == 0) {
        entries_.push_back(make());
        place = {short_hash, static_cast<std::uint32_t>(entries_.size())};
        return {&entries_.back().second, true};
      }
      if (place.short_hash != short_hash)
        continue;
      auto& entry = entries_[place.entry - 1];
      if (entry.first == key)
        return {&entry.second, false};
    }
  }

  /// Null: there is none.
  template <class Other>
  [[nodiscard]] const V* find(std::uint64_t hash, const Other& key) const {
    if (places_.empty())
      return nullptr;
    auto short_hash = short_hash_of(hash);
    auto mask = places_.size() - 1;
    for (auto i = hash & mask; places_[i].entry != 0; i = (i + 1) & mask) {
      const auto& entry = entries_[places_[i].entry - 1];
      if (places_[i].short_hash == short_hash && entry.first == key)
        return &entry.second;
    }
    return nullptr;
  }

  [[nodiscard]] std::size_t size() const noexcept {
    return entries_.size();
  }
  [[nodiscard]] std::vector<Entry>& entries() noexcept {
    return entries_;
  }

  /// What it has room for stays.
  void clear() {
    entries_.clear();
    places_.assign(places_.size(), Place{});
  }

  /// What it takes in memory, also while one more entry has it grow; without what its
  /// keys and values hold besides their own size.
  [[nodiscard]] std::size_t bytes_for_one_more() const noexcept {
    // What grows is there in its old and in its doubled size.
    constexpr std::size_t grown = 3;
    auto entries = entries_.capacity() * sizeof(Entry);
    auto places = places_.size() * sizeof(Place);
    if (entries_.size() == entries_.capacity())
      entries *= grown;
    if ((entries_.size() + 1) * 4 > places_.size() * 3)
      places *= grown;
    return entries + places;
  }

  /// Calls `use(Entry&)` for each in the order of short hashes, until it returns false.
  /// Then it is as a new one. Takes no further memory.
  template <class Use>
  void take_in_order(Use&& use) {
    std::erase_if(places_, [](const Place& x) { return x.entry == 0; });
    std::sort(places_.begin(), places_.end(),
              [](const Place& a, const Place& b) {
                return a.short_hash < b.short_hash;
              });
    for (const auto& place : places_)
      if (!use(entries_[place.entry - 1]))
        break;
    *this = {};
  }

private:
  struct Place {
    std::uint32_t short_hash = 0;

    /// From 1; 0: none.
    std::uint32_t entry = 0;
  };

  static constexpr std::size_t first_places = 64;

  void grow() {
    places_.assign(places_.empty() ? first_places : places_.size() * 2,
                   Place{});
    auto mask = places_.size() - 1;
    std::uint32_t number = 0;
    for (const auto& entry : entries_) {
      auto hash = hash_of(entry.first);
      auto i = hash & mask;
      while (places_[i].entry != 0)
        i = (i + 1) & mask;
      places_[i] = {short_hash_of(hash), ++number};
    }
  }

  /// Their number is a power of two.
  std::vector<Place> places_;
  std::vector<Entry> entries_;
};

/// A key as a table with keys that are Owned compares it: texts by view, all others
/// as they are kept.
template <class K>
decltype(auto) comparable(const K& key) {
  if constexpr (std::is_same_v<K, Owned<K>>)
    return (key);
  else if constexpr (std::is_same_v<K, std::string_view>)
    return key;
  else
    return to_owned(key);
}

} // namespace stoker::jobs
