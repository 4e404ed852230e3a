#include "web/gzip.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <zlib.h>

namespace stoker {

namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;

/// One packet carries as much anyway.
constexpr std::size_t shortest = 1024;

constexpr const char* encoding_field = "Content-Encoding";

/// Asks zlib for a header and a trailer of gzip around the largest window.
constexpr int window_bits = MAX_WBITS + 16;
constexpr int memory_level = 8;

int level_of(GzipEffort x) {
  return x == GzipEffort::quick ? Z_BEST_SPEED : Z_BEST_COMPRESSION;
}

/// Whether a weight (RFC 9110, section 12.4.2) is more than 0: "0", "0." and "0.000" say "by
/// no means", and nobody knows what another text says.
bool is_positive(beast::string_view weight) {
  constexpr std::size_t longest = 5;
  if (weight.empty() || weight.size() > longest
      || (weight[0] != '0' && weight[0] != '1')
      || (weight.size() > 1 && weight[1] != '.'))
    return false;
  auto digits = weight.substr(std::min<std::size_t>(2, weight.size()));
  if (digits.find_first_not_of(weight[0] == '1' ? "0" : "0123456789")
      != beast::string_view::npos)
    return false;
  return weight[0] == '1'
         || digits.find_first_not_of('0') != beast::string_view::npos;
}

} // namespace

bool takes_gzip(std::string_view accept_encoding) {
  const http::ext_list codings{
      beast::string_view{accept_encoding.data(), accept_encoding.size()}};
  for (const auto& [coding, parameters] : codings) {
    if (!beast::iequals(coding, "gzip"))
      continue;
    return std::none_of(
        parameters.begin(), parameters.end(), [](const auto& x) {
          return beast::iequals(x.first, "q") && !is_positive(x.second);
        });
  }
  return false;
}

std::string gzip(std::string_view bytes, GzipEffort effort) {
  z_stream stream{};
  if (deflateInit2(&stream, level_of(effort), Z_DEFLATED, window_bits,
                   memory_level, Z_DEFAULT_STRATEGY)
      != Z_OK)
    throw std::bad_alloc{};
  std::string result(deflateBound(&stream, bytes.size()), '\0');
  // zlib reads through it, but has no const.
  stream.next_in
      = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data())); // NOLINT
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data()); // NOLINT
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

HttpResponse compressed(HttpResponse x, GzipEffort effort) {
  auto is_compressed = std::ranges::any_of(x.fields, [](const auto& field) {
    return field.first == encoding_field;
  });
  if (is_compressed || !x.body || x.body->size() < shortest)
    return x;
  x.body = std::make_shared<const std::string>(gzip(*x.body, effort));
  x.fields.emplace_back(encoding_field, "gzip");
  return x;
}

FixedAnswer::FixedAnswer(HttpResponse x) : plain_(std::move(x)) {
  // What is stored between depends on who asks.
  plain_.fields.emplace_back("Vary", "Accept-Encoding");
  compressed_ = compressed(plain_, GzipEffort::thorough);
}

} // namespace stoker
