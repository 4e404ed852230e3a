#pragma once

#include <cassert>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>

namespace stoker {

/// Has something done in the thread of a stream that there is.
template <class F>
void post_to(const boost::asio::any_io_executor& executor, F what) {
  assert(executor);
  boost::asio::post(executor, std::move(what));
}

} // namespace stoker
