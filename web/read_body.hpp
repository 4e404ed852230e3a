#pragma once

// Bodies of requests are read within a budget of memory.

#include <cstddef>
#include <string>
#include <utility>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/system/errc.hpp>
#include <boost/system/error_code.hpp>

#include "network/frame_budget.hpp"

namespace stoker {

/// Reads the body of a request whose header is read. All parameters must live until `done` is
/// called.
/// @param memory what the body takes counts against this
/// @param done called once with an error, `errc::not_enough_memory` if the budget is used up,
/// and the number of bytes that were read last
template <class Stream, class Done>
void async_read_body(
    Stream& stream, boost::beast::flat_buffer& buffer,
    boost::beast::http::request_parser<boost::beast::http::string_body>& parser,
    FrameBudget::Share& memory, Done done) {
  using boost::system::error_code;
  if (parser.is_done())
    return done(error_code{}, std::size_t{});
  parser.eager(true);
  boost::beast::http::async_read_some(
      stream, buffer, parser,
      [&, done = std::move(done)](error_code error, std::size_t count) mutable {
        auto& body = parser.get().body();
        if (!error && !memory.hold(body.size() + buffer.size())) {
          error = make_error_code(boost::system::errc::not_enough_memory);
          body = std::string{};
        }
        if (error)
          return done(error, count);
        async_read_body(stream, buffer, parser, memory, std::move(done));
      });
}

} // namespace stoker
