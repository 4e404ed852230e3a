#include "scheduling/placement/named_resources.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace stoker {

namespace {

constexpr std::size_t addresses_max = 10'000;

bool is_name(const std::string& x) {
  return !x.empty() && x.size() <= 64
         && std::all_of(x.begin(), x.end(), [](char c) {
              return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
                     || (c >= '0' && c <= '9') || c == '_' || c == '-';
            });
}

/// How often `amounts` goes into what `count` tells of each name.
template <class Count>
int times_in(const ResourceAmounts& amounts, Count&& count) {
  auto result = std::numeric_limits<int>::max();
  for (const auto& [name, amount] : amounts)
    if (amount > 0)
      result = std::min(result, static_cast<int>(count(name)) / amount);
  return result;
}

} // namespace

NamedResources::NamedResources(const ResourceAddresses& all) {
  assert(validate(all));
  for (const auto& [name, addresses] : all) {
    auto& kind = kinds_[name];
    kind.addresses = addresses;
    for (std::size_t i = 0; i < addresses.size(); ++i)
      kind.free.insert(kind.free.end(), i);
    names_[name] = !addresses.empty();
  }
}

int NamedResources::times(const ResourceAmounts& amounts) const {
  return times_in(amounts, [this](const std::string& name) {
    auto i = kinds_.find(name);
    return i == kinds_.end() ? 0 : i->second.free.size();
  });
}

int NamedResources::times_in_all(const ResourceAmounts& amounts) const {
  return times_in(amounts, [this](const std::string& name) {
    auto i = kinds_.find(name);
    return i == kinds_.end() ? 0 : i->second.addresses.size();
  });
}

ResourceAddresses NamedResources::take(const ResourceAmounts& amounts) {
  assert(times(amounts) > 0);
  ResourceAddresses result;
  for (const auto& [name, amount] : amounts) {
    auto& kind = kinds_.at(name);
    for (int i = 0; i < amount; ++i)
      result[name].push_back(
          kind.addresses[kind.free.extract(kind.free.begin()).value()]);
    names_[name] = !kind.free.empty();
  }
  return result;
}

bool NamedResources::take(const ResourceAddresses& addresses) {
  auto rest = kinds_;
  for (const auto& [name, list] : addresses) {
    auto i = rest.find(name);
    if (i == rest.end())
      return false;
    auto& kind = i->second;
    for (const auto& address : list) {
      auto found
          = std::find(kind.addresses.begin(), kind.addresses.end(), address);
      auto position = static_cast<std::size_t>(found - kind.addresses.begin());
      if (kind.free.erase(position) == 0)
        return false;
    }
  }
  kinds_ = std::move(rest);
  for (const auto& [name, kind] : kinds_)
    names_[name] = !kind.free.empty();
  return true;
}

void NamedResources::give_back(const ResourceAddresses& addresses) {
  for (const auto& [name, list] : addresses) {
    auto& kind = kinds_.at(name);
    for (const auto& address : list) {
      auto i = std::find(kind.addresses.begin(), kind.addresses.end(), address);
      assert(i != kind.addresses.end());
      auto added = kind.free.insert(
          static_cast<std::size_t>(i - kind.addresses.begin()));
      assert(added.second);
      static_cast<void>(added);
    }
    names_[name] = !kind.free.empty();
  }
}

ResourceAddresses NamedResources::all() const {
  ResourceAddresses result;
  for (const auto& [name, kind] : kinds_)
    result[name] = kind.addresses;
  return result;
}

ResourceAddresses NamedResources::used() const {
  ResourceAddresses result;
  for (const auto& [name, kind] : kinds_)
    for (std::size_t i = 0; i < kind.addresses.size(); ++i)
      if (!kind.free.contains(i))
        result[name].push_back(kind.addresses[i]);
  return result;
}

Status validate(const ResourceAddresses& all) {
  for (const auto& [name, addresses] : all) {
    if (!is_name(name))
      return invalid("'" + name + "' cannot name a resource");
    if (addresses.size() > addresses_max)
      return invalid("there are too many addresses of " + name);
    std::set<std::string> seen;
    for (const auto& address : addresses)
      if (address.empty() || address.find(',') != std::string::npos
          || !seen.insert(address).second)
        return invalid(
            "the addresses of " + name
            + " must differ, and have neither commas nor nothing in them");
  }
  return {};
}

Status validate(const ResourceAmounts& amounts) {
  for (const auto& [name, amount] : amounts) {
    if (!is_name(name))
      return invalid("'" + name + "' cannot name a resource");
    if (amount <= 0)
      return invalid("the amount of " + name + " must be greater than 0");
  }
  return {};
}

} // namespace stoker
