// What is compressed is read again by zlib's other half.

#include "web/gzip.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <zlib.h>

#include "pages/embedded.hpp"
#include "pages/page.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "web/assets.hpp"
#include "web/openapi.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

std::string unpacked(const std::string& bytes, std::size_t size) {
  z_stream stream{};
  // With a header and a trailer of gzip.
  REQUIRE(inflateInit2(&stream, MAX_WBITS + 16) == Z_OK);
  auto input = bytes;
  std::string result(size + 1, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
  CHECK(stream.avail_in == 0);
  result.resize(stream.total_out);
  inflateEnd(&stream);
  return result;
}

bool has_field(const HttpResponse& x, const std::string& name,
               const std::string& value) {
  return std::find(x.fields.begin(), x.fields.end(), std::pair{name, value})
         != x.fields.end();
}

} // namespace

TEST_CASE("gzip is for who asks for it by its name", "[web]") {
  for (const auto* field :
       {"gzip", "GZip", "deflate, gzip", "gzip, deflate, br", "br , gzip;q=0.1",
        "gzip;Q=1.0", "gzip;q=0.001", "gzip;q=1", "gzip;q=1.", "gzip;a=b"})
    CHECK(takes_gzip(field));
  for (const auto* field :
       {"", "identity", "deflate, br", "gzip;q=0", "gzip; q=0.000", "gzip;q=0.",
        "gzip;q=abc", "gzip;q=", "gzip;q=1.5", "gzip;q=0.0001", "gzip;q=-1",
        "gzip;q=2", "gzipped", "x-gzip", "*", "*;q=1", ";;;gzip=,,"})
    CHECK_FALSE(takes_gzip(field));
}

TEST_CASE("what is compressed can be read again", "[web]") {
  std::string mixed;
  for (std::uint32_t x = 1; mixed.size() < 200'000;
       x = x * 1664525 + 1013904223)
    mixed += static_cast<char>(x >> 24);
  for (const auto& text :
       {std::string{}, std::string{"a"}, std::string(1'000'000, 'a'), mixed})
    for (auto effort : {GzipEffort::quick, GzipEffort::thorough})
      CHECK(unpacked(gzip(text, effort), text.size()) == text);
}

TEST_CASE("an answer is compressed unless it is short", "[web]") {
  auto packed
      = compressed(http_json(std::string(5000, 'x')), GzipEffort::quick);
  CHECK(packed.body->size() < 100);
  CHECK(unpacked(*packed.body, 5000) == std::string(5000, 'x'));
  CHECK(packed.content_type == "application/json;charset=utf-8");
  CHECK(has_field(packed, "Content-Encoding", "gzip"));
  auto brief = compressed(http_json("{}"), GzipEffort::quick);
  CHECK(*brief.body == "{}");
  CHECK(brief.fields.empty());
  CHECK_FALSE(compressed(HttpResponse{}, GzipEffort::quick).body);
  // Nor twice.
  std::string mixed;
  for (std::uint32_t x = 1; mixed.size() < 5000; x = x * 1664525 + 1013904223)
    mixed += static_cast<char>(x >> 24);
  auto once = compressed(http_json(mixed), GzipEffort::quick);
  auto twice = compressed(once, GzipEffort::quick);
  CHECK(twice.body == once.body);
  CHECK(twice.fields == once.fields);
}

TEST_CASE("the OpenAPI document is compressed for who takes that", "[web]") {
  HttpRequest request;
  auto plain = openapi_answer(request);
  CHECK(*plain.body == *openapi_document());
  CHECK_FALSE(has_field(plain, "Content-Encoding", "gzip"));
  request.takes_gzip = true;
  auto packed = openapi_answer(request);
  CHECK(has_field(packed, "Content-Encoding", "gzip"));
  CHECK(packed.content_type == plain.content_type);
  CHECK(packed.body->size() < plain.body->size() / 4);
  CHECK(unpacked(*packed.body, plain.body->size()) == *plain.body);
}

TEST_CASE("files of the pages are compressed for who takes that", "[web]") {
  HttpRequest request;
  request.path = "/static/bootstrap.min.css";
  auto plain = asset(request);
  request.takes_gzip = true;
  auto packed = asset(request);
  REQUIRE(plain.status == 200);
  CHECK(packed.body->size() < plain.body->size() / 4);
  CHECK(unpacked(*packed.body, plain.body->size()) == *plain.body);
  // What is stored between depends on who asks.
  CHECK(has_field(plain, "Vary", "Accept-Encoding"));
  CHECK(has_field(packed, "Vary", "Accept-Encoding"));
  CHECK(has_field(packed, "Content-Encoding", "gzip"));
  CHECK_FALSE(has_field(plain, "Content-Encoding", "gzip"));
}

TEST_CASE("a browser keeps the files of the version that its page names",
          "[web]") {
  HttpRequest request;
  request.path = "/static/stoker.js";
  request.query = pages::assets_version();
  CHECK(has_field(asset(request), "Cache-Control",
                  "private, max-age=31536000, immutable"));
  for (const auto* other : {"", "0"}) {
    request.query = other;
    CHECK(has_field(asset(request), "Cache-Control", "private, no-cache"));
  }
  CHECK(contains(pages::html(pages::Page{}, {}),
                 "/static/stoker.js?" + pages::assets_version()));
}
