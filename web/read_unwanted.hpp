#pragma once

#include <cstddef>
#include <utility>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/system/error_code.hpp>

namespace stoker {

/// Reads and drops what a peer sends. The stream and the buffer must live until `done` is called.
/// @param bytes_max not many more are read
/// @param done called once when so many are read, the peer closes, or time is up, with an error
/// and the number of bytes that were read last
template <class Stream, class Done>
void async_read_unwanted(Stream& stream, boost::beast::flat_buffer& buffer,
                         std::size_t bytes_max, Done done) {
  constexpr std::size_t at_once = 4096;
  stream.async_read_some(
      buffer.prepare(at_once),
      [&stream, &buffer, bytes_max, done = std::move(done)](
          const boost::system::error_code& error, std::size_t count) mutable {
        if (error || count > bytes_max)
          return done(error, count);
        async_read_unwanted(stream, buffer, bytes_max - count, std::move(done));
      });
}

} // namespace stoker
