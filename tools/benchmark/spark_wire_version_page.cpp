#include "tools/benchmark/spark_wire_version_page.hpp"

#include <sys/socket.h>

#include <utility>

namespace stoker::benchmark {

/// What it says is read to be rid of it: there is one page, and nobody asks for more.
class WireVersionPage::Visitor : public WireSocket {
public:
  explicit Visitor(WireVersionPage& page) : page_(page) {
  }
  ~Visitor() override {
    if (socket_)
      page_.loop_.remove(socket_.get());
  }

  void come(process::UniqueFd socket) {
    socket_ = std::move(socket);
    page_.loop_.add(socket_.get(), *this);
  }

  void ready(std::uint32_t) override {
    auto buffer = page_.loop_.buffer();
    auto count
        = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    const auto& answer = page_.answer_;
    if (count > 0)
      ::send(socket_.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
    page_.loop_.remove(socket_.get());
    socket_.reset();
    page_.gone_.push_back(this);
  }

private:
  WireVersionPage& page_;
  process::UniqueFd socket_;
};

namespace {

std::string page_of_version(const std::string& version) {
  auto body = "<html><body><span class=\"version\">" + version
              + "</span></body></html>";
  return "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n"
         "Content-Length: "
         + std::to_string(body.size()) + "\r\n\r\n" + body;
}

} // namespace

WireVersionPage::WireVersionPage(WireLoop& loop, std::uint16_t port,
                                 const std::string& version)
    : loop_(loop), answer_(page_of_version(version)),
      listener_(loop, {wire_any_host, port},
                [this](auto socket) { welcome(std::move(socket)); }) {
}

WireVersionPage::~WireVersionPage() = default;

void WireVersionPage::welcome(process::UniqueFd socket) {
  if (gone_.empty()) {
    visitors_.push_back(std::make_unique<Visitor>(*this));
    gone_.push_back(visitors_.back().get());
  }
  auto* visitor = gone_.back();
  gone_.pop_back();
  visitor->come(std::move(socket));
}

} // namespace stoker::benchmark
