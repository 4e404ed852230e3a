#pragma once

// What keys and values are of elements that are pairs.

#include <utility>

#include "jobs/key.hpp"

namespace stoker::jobs {

/// Of what is no pair: void.
template <class T>
struct PairOf {
  using Key = void;
  using Value = void;
};
template <class K, class V>
struct PairOf<std::pair<K, V>> {
  using Key = K;
  using Value = V;
};

template <class T>
using KeyOf = typename PairOf<T>::Key;
template <class T>
using ValueOf = typename PairOf<T>::Value;

template <class T>
concept KeyAndValue = Key<KeyOf<T>>;

} // namespace stoker::jobs
