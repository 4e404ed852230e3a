#include "executor/barrier_socket.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include <boost/asio.hpp>

#include "executor/barrier_request.hpp"
#include "process/unique_fd.hpp"

namespace stoker::executor {

namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using Local = asio::local::stream_protocol;
using boost::system::error_code;

/// Of one task at once: each waits, or is about to say something.
constexpr std::size_t connections_max = 64;

/// Between tries to take a caller, when descriptors are short.
constexpr std::chrono::milliseconds accept_pause{100};

/// For the longest name of a socket in a directory, with its slash: three numbers.
constexpr std::size_t name_max = 3 * 11 + 1;

Error cannot(const std::string& what, int error) {
  return Error{Errc::io, "cannot make a socket for barriers: " + what + ": "
                             + std::strerror(error)};
}

bool is_of_this_user(Local::socket& socket) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  return ::getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &peer,
                      &size)
             == 0
         && peer.uid == ::geteuid();
}

using Text = std::shared_ptr<const std::string>;

Text text_of(std::string x) {
  return std::make_shared<const std::string>(std::move(x));
}

} // namespace

class BarrierSocket::Service
    : public std::enable_shared_from_this<BarrierSocket::Service> {
public:
  Service(BarrierPort& port, std::string directory)
      : port_(port), parent_(std::move(directory)) {
  }

  void start() {
    thread_ = std::thread{[this] { context_.run(); }};
  }

  void stop() {
    asio::post(context_, [this] {
      for (auto& [task, listener] : std::exchange(listeners_, {}))
        listener->close();
      work_.reset();
    });
    thread_.join();
    if (directory_.empty())
      return;
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
  }

  Result<std::string> open(const TaskAttempt& task) {
    std::lock_guard guard{mutex_};
    if (directory_.empty())
      if (auto made = make_directory(); !made)
        return std::move(made).error();
    auto path = name_ + '/' + to_string(task.stage) + '-'
                + std::to_string(task.task) + '-'
                + std::to_string(task.attempt);
    auto listener = std::make_shared<Listener>(shared_from_this(), task, path);
    if (auto error = listener->listen())
      return cannot(path, error.value());
    asio::post(context_, [this, task, listener] {
      listeners_[task] = listener;
      listener->accept();
    });
    return path;
  }

  void close(const TaskAttempt& task) {
    asio::post(context_, [this, task] {
      if (auto found = listeners_.extract(task))
        found.mapped()->close();
    });
  }

private:
  class Connection;

  /// What is said to all tasks that go on from one barrier: one text, however many they are,
  /// which may be large. Functions may be called by any thread.
  class SharedAnswer {
  public:
    Text of(const BarrierPort::Messages& messages) {
      std::lock_guard guard{mutex_};
      auto result = messages_.lock() == messages ? text_.lock() : nullptr;
      if (!result) {
        result = text_of(messages_answer(*messages));
        messages_ = messages;
        text_ = result;
      }
      return result;
    }

  private:
    std::mutex mutex_;
    std::weak_ptr<const std::vector<std::string>> messages_;
    std::weak_ptr<const std::string> text_;
  };

  /// One that only this user can enter. A socket's name has 107 bytes at most: a longer one
  /// goes by the descriptor that this process has of the directory. So sockets are nowhere
  /// else, and what is left after a SIGKILL is removed with the executor's directory.
  Status make_directory() {
    auto path = parent_ + "/b-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr)
      return cannot(path, errno);
    auto name = path;
    if (path.size() + name_max > sizeof(sockaddr_un::sun_path)) {
      opened_ = process::UniqueFd{
          ::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
      if (!opened_) {
        auto error = cannot(path, errno);
        ::rmdir(path.c_str());
        return error;
      }
      name = "/proc/" + std::to_string(::getpid()) + "/fd/"
             + std::to_string(opened_.get());
    }
    directory_ = std::move(path);
    name_ = std::move(name);
    return {};
  }

  /// The socket of one task.
  class Listener : public std::enable_shared_from_this<Listener> {
  public:
    Listener(std::shared_ptr<Service> service, const TaskAttempt& task,
             std::string path)
        : service_(std::move(service)), task_(task), path_(std::move(path)),
          acceptor_(service_->context_), pause_(service_->context_) {
    }

    error_code listen() {
      error_code error;
      ::unlink(path_.c_str());
      acceptor_.open(Local{}, error);
      if (!error)
        acceptor_.bind(path_, error);
      if (!error)
        acceptor_.listen(asio::socket_base::max_listen_connections, error);
      return error;
    }

    void accept() {
      acceptor_.async_accept(
          [self = shared_from_this()](const error_code& error,
                                      Local::socket socket) {
            if (!self->acceptor_.is_open())
              return;
            // Callers wait in the kernel until there are descriptors again.
            if (error)
              return self->accept_later();
            self->admit(std::move(socket));
            self->accept();
          });
    }

    void close() {
      error_code ignored;
      pause_.cancel();
      acceptor_.close(ignored);
      ::unlink(path_.c_str());
      for (const auto& x : std::exchange(connections_, {}))
        x->close();
    }

    void forget(const std::shared_ptr<Connection>& x) {
      connections_.erase(x);
    }

    [[nodiscard]] const TaskAttempt& task() const noexcept {
      return task_;
    }
    [[nodiscard]] BarrierPort& port() const noexcept {
      return service_->port_;
    }
    [[nodiscard]] asio::io_context& context() const noexcept {
      return service_->context_;
    }
    [[nodiscard]] SharedAnswer& answer() const noexcept {
      return service_->answer_;
    }

  private:
    void accept_later() {
      pause_.expires_after(accept_pause);
      pause_.async_wait([self = shared_from_this()](const error_code& error) {
        if (!error && self->acceptor_.is_open())
          self->accept();
      });
    }

    void admit(Local::socket socket) {
      if (!is_of_this_user(socket) || connections_.size() >= connections_max)
        return;
      auto x
          = std::make_shared<Connection>(shared_from_this(), std::move(socket));
      connections_.insert(x);
      x->read();
    }

    const std::shared_ptr<Service> service_;
    const TaskAttempt task_;
    const std::string path_;
    Local::acceptor acceptor_;
    asio::steady_timer pause_;
    std::set<std::shared_ptr<Connection>> connections_;
  };

  /// One program that calls, once after the other.
  class Connection : public std::enable_shared_from_this<Connection> {
  public:
    Connection(std::shared_ptr<Listener> listener, Local::socket socket)
        : listener_(std::move(listener)), socket_(std::move(socket)) {
    }

    void read() {
      asio::async_read_until(
          socket_, asio::dynamic_buffer(received_, barrier_line_max), '\n',
          [self = shared_from_this()](const error_code& error,
                                      std::size_t size) {
            if (error == asio::error::not_found)
              return self->answer_last(text_of(
                  error_answer("the request has more than "
                               + std::to_string(barrier_line_max) + " bytes")));
            if (error)
              return self->end();
            auto line = self->received_.substr(0, size - 1);
            self->received_.erase(0, size);
            self->handle(line);
          });
    }

    void close() {
      error_code ignored;
      socket_.close(ignored);
    }

  private:
    void handle(const std::string& line) {
      auto request = parse_barrier_request(line);
      if (!request)
        return answer_last(text_of(error_answer(request.error().message)));
      if (request->kind == BarrierRequest::Kind::tasks) {
        auto hosts = listener_->port().addresses(listener_->task());
        return answer(text_of(hosts ? tasks_answer(**hosts)
                                    : error_answer(hosts.error().message)));
      }
      // By some thread, perhaps long after.
      listener_->port().call(
          listener_->task(), request->call, std::move(request->message),
          [self = shared_from_this()](const Result<BarrierPort::Messages>& x) {
            auto text = x ? self->listener_->answer().of(*x)
                          : text_of(error_answer(x.error().message));
            asio::post(self->listener_->context(),
                       [self, text] { self->answer(text); });
          });
    }

    void answer(Text text) {
      said_ = std::move(text);
      asio::async_write(
          socket_, asio::buffer(*said_),
          [self = shared_from_this()](const error_code& error, std::size_t) {
            self->said_.reset();
            if (error)
              self->end();
            else
              self->read();
          });
    }

    void answer_last(Text text) {
      said_ = std::move(text);
      asio::async_write(socket_, asio::buffer(*said_),
                        [self = shared_from_this()](
                            const error_code&, std::size_t) { self->end(); });
    }

    void end() {
      close();
      listener_->forget(shared_from_this());
    }

    const std::shared_ptr<Listener> listener_;
    Local::socket socket_;
    std::string received_;
    Text said_;
  };

  BarrierPort& port_;
  SharedAnswer answer_;
  const std::string parent_;
  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_
      = asio::make_work_guard(context_);
  std::thread thread_;

  std::mutex mutex_;

  /// Of the sockets; empty: none is needed yet. And how programs are told of it.
  std::string directory_;
  std::string name_;
  process::UniqueFd opened_;

  // Of the thread.
  std::map<TaskAttempt, std::shared_ptr<Listener>> listeners_;
};

BarrierSocket::BarrierSocket(BarrierPort& port, std::string directory)
    : service_(std::make_shared<Service>(port, std::move(directory))) {
  service_->start();
}

// NOLINTNEXTLINE(bugprone-exception-escape): it throws where memory is of no use
BarrierSocket::~BarrierSocket() {
  service_->stop();
}

Result<std::string> BarrierSocket::open(const TaskAttempt& task) {
  return service_->open(task);
}

void BarrierSocket::close(const TaskAttempt& task) {
  service_->close(task);
}

} // namespace stoker::executor
