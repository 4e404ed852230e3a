// Who follows a page is sent what changes of it.

#include "web/live_pages.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

/// Someone who follows a page.
struct Reader {
  std::shared_ptr<HttpStream> stream = std::make_shared<HttpStream>();
  std::vector<HttpStream::Piece> pieces;

  Reader() {
    stream->attach(
        [this](HttpStream::Piece x) { pieces.push_back(std::move(x)); });
  }

  /// Takes all that was sent.
  std::vector<HttpStream::Piece> read() {
    for (const auto& x : pieces)
      stream->sent(x->size());
    return std::exchange(pieces, {});
  }
};

pages::Page page(const std::string& facts, const std::string& rows) {
  return {"", {{"facts", facts}, {"rows", rows}}, false};
}

} // namespace

TEST_CASE("who begins to follow gets all, then what changes", "[web]") {
  LivePages live;
  Reader ann;
  live.add("/", ClusterPage{}, ann.stream, {"ann"});
  live.show("/", page("a", "b"));
  auto first = ann.read();
  REQUIRE(first.size() == 2);
  CHECK(*first.front()
        == "event: section\ndata: {\"id\":\"facts\",\"html\":\"a\"}\n\n");
  live.show("/", page("a", "b"));
  CHECK(ann.read().empty());
  live.show("/", page("a", "c"));
  auto then = ann.read();
  REQUIRE(then.size() == 1);
  CHECK(then.front()->find("\"rows\"") != std::string::npos);
}

TEST_CASE("all who follow a page share what they are sent", "[web]") {
  LivePages live;
  Reader ann;
  Reader bob;
  live.add("/", ClusterPage{}, ann.stream, {"ann"});
  live.add("/", ClusterPage{}, bob.stream, {"bob"});
  live.show("/", page("a", "b"));
  CHECK(ann.read() == bob.read());
}

TEST_CASE("one who reads slowly gets the page as it is then, not all between",
          "[web]") {
  LivePages live;
  Reader slow;
  live.add("/", ClusterPage{}, slow.stream, {"slow"});
  live.show("/", page("a", "b"));
  for (const auto* x : {"c", "d", "e"})
    live.show("/", page("a", x));
  CHECK(slow.read().size() == 2);
  live.show("/", page("a", "e"));
  auto pieces = slow.read();
  REQUIRE(pieces.size() == 2);
  CHECK(pieces.back()->find("\"e\"") != std::string::npos);
}

TEST_CASE("line ends of a page do not end an event", "[web]") {
  LivePages live;
  Reader ann;
  live.add("/", ClusterPage{}, ann.stream, {"ann"});
  live.show("/", page("a\n\nevent: status\ndata: x", "b"));
  auto text = *ann.read().front();
  CHECK(text.find("\n\n") == text.size() - 2);
}

TEST_CASE("who has gone is forgotten", "[web]") {
  LivePages live;
  Reader ann;
  live.add("/", ClusterPage{}, ann.stream, {"ann"});
  live.forget_the_gone();
  CHECK_FALSE(live.empty());
  ann.stream->close();
  live.forget_the_gone();
  CHECK(live.empty());
}

TEST_CASE("who follows what is not known any more is told why, once", "[web]") {
  LivePages live;
  Reader ann;
  live.add("/", ClusterPage{}, ann.stream, {"ann"});
  live.show("/", page("a", "b"));
  (void)ann.read();
  live.show_missing("/", "It is gone.");
  auto told = ann.read();
  REQUIRE(told.size() == 1);
  CHECK(*told.front() == "event: missing\ndata: {\"why\":\"It is gone.\"}\n\n");
  live.show_missing("/", "It is gone.");
  CHECK(ann.read().empty());
  // One who comes later hears of it, too, and of nothing that was there before.
  Reader bob;
  live.add("/", ClusterPage{}, bob.stream, {"bob"});
  live.show_missing("/", "It is gone.");
  CHECK(bob.read() == told);
  CHECK(ann.read().empty());
  // It is back: all of it is sent.
  live.show("/", page("a", "b"));
  CHECK(ann.read().size() == 2);
  CHECK(bob.read().size() == 2);
}

TEST_CASE("all are told the state of the master", "[web]") {
  LivePages live;
  Reader ann;
  live.add("/workers", WorkersPage{}, ann.stream, {"ann"});
  live.show_status(RecoveryState::ALIVE, 5);
  CHECK(*ann.read().at(0)
        == "event: status\ndata: {\"status\":\"ALIVE\",\"now\":5,"
           "\"reader\":\"ann\",\"has_session\":false}\n\n");
  live.show_status(std::nullopt, 6);
  CHECK(*ann.read().at(0)
        == "event: status\ndata: {\"status\":null,\"now\":6,"
           "\"reader\":\"ann\",\"has_session\":false}\n\n");
}

TEST_CASE("each is told as whom he reads, and those who are one are told the "
          "same",
          "[web]") {
  LivePages live;
  std::vector<Reader> readers(3);
  live.add("/", ClusterPage{}, readers[0].stream, {"<ann>\n", true});
  live.add("/", ClusterPage{}, readers[1].stream, {"bob"});
  live.add("/workers", WorkersPage{}, readers[2].stream, {"bob"});
  live.show_status(RecoveryState::ALIVE, 5);
  // As a page has it, which writes no control character.
  CHECK(readers[0].read().at(0)->find(
            "\"reader\":\"<ann>?\",\"has_session\":true}")
        != std::string::npos);
  auto first = readers[1].read();
  REQUIRE(first.size() == 1);
  CHECK(first.front()->find("\"reader\":\"bob\"") != std::string::npos);
  CHECK(readers[2].read() == first);
}
