#include "tools/stoker/barrier_client.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <boost/json.hpp>

#include "messages/task_environment.hpp"
#include "process/unique_fd.hpp"

namespace stoker {

namespace {

namespace json = boost::json;

Error cannot(const std::string& what) {
  return Error{Errc::io, what + ": " + std::strerror(errno)};
}

Result<process::UniqueFd> connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path))
    return Error{Errc::invalid_request, "the name of the socket is too long"};
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  process::UniqueFd result{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  if (result.get() < 0)
    return cannot("there is no socket");
  if (::connect(result.get(), reinterpret_cast<sockaddr*>(&address),
                sizeof(address))
      != 0)
    return cannot("the executor cannot be reached at " + path);
  return result;
}

Status send_line(int socket, std::string line) {
  line += '\n';
  for (std::size_t sent = 0; sent < line.size();) {
    auto n
        = ::send(socket, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR)
      continue;
    // It may have said why it does not listen any more.
    if (n < 0 && (errno == EPIPE || errno == ECONNRESET))
      return {};
    if (n < 0)
      return cannot("the executor cannot be asked");
    sent += static_cast<std::size_t>(n);
  }
  return {};
}

Result<std::string> receive_line(int socket) {
  std::string result;
  char buffer[16 * 1024];
  while (result.empty() || result.back() != '\n') {
    auto n = ::recv(socket, buffer, sizeof(buffer), 0);
    if (n < 0 && errno == EINTR)
      continue;
    // It has not even read the request.
    if (n < 0 && errno == ECONNRESET)
      n = 0;
    if (n < 0)
      return cannot("the executor does not answer");
    if (n == 0)
      return Error{Errc::failed,
                   result.empty()
                       ? "the executor does not answer: the task is to end, or "
                         "has too many callers"
                       : "the executor's answer is cut off"};
    result.append(buffer, static_cast<std::size_t>(n));
  }
  return result;
}

/// What the answer has under that name, or why it is none.
Result<std::vector<std::string>> texts_in(const std::string& line,
                                          const std::string& name) {
  Error not_understood{Errc::failed, "the executor's answer is not understood"};
  boost::system::error_code error;
  auto parsed = json::parse(line, error);
  const auto* object = error ? nullptr : parsed.if_object();
  if (object == nullptr)
    return not_understood;
  if (const auto* why = object->if_contains("error"); why && why->is_string())
    return Error{Errc::failed, json::value_to<std::string>(*why)};
  const auto* list = object->if_contains(name);
  if (list == nullptr)
    return not_understood;
  auto texts = json::try_value_to<std::vector<std::string>>(*list);
  if (!texts)
    return not_understood;
  return *std::move(texts);
}

} // namespace

Result<std::vector<std::string>> ask_at_barrier(const std::string& request,
                                                const std::string& answer) {
  const auto* path = std::getenv(task_environment::barrier_socket);
  if (path == nullptr)
    return Error{Errc::invalid_request,
                 std::string{"this is no task of a barrier stage: "}
                     + task_environment::barrier_socket + " is not set"};
  auto socket = connect_to(path);
  if (!socket)
    return std::move(socket).error();
  if (auto sent = send_line(socket->get(), request); !sent)
    return std::move(sent).error();
  auto line = receive_line(socket->get());
  if (!line)
    return std::move(line).error();
  return texts_in(*line, answer);
}

} // namespace stoker
