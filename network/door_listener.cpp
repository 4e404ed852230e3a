#include "network/door_listener.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <future>
#include <string_view>
#include <utility>

#include "network/connection_owner.hpp"
#include "network/descriptor_shares.hpp"
#include "network/door_visitor.hpp"
#include "network/open_acceptor.hpp"
#include "network/peer_name.hpp"
#include "network/post_to.hpp"

namespace stoker {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// When the system has no descriptor left, some are closed soon.
constexpr std::chrono::milliseconds pause_after_failure{50};

std::size_t places_of(const DoorLimits& limits) {
  return limits.connections_max != 0
             ? limits.connections_max
             : places_at_door(limits.lobby.connections_max);
}

/// How many there are, and how to have more where they follow from the descriptors.
std::string places_text(std::size_t places, const DoorLimits& limits) {
  auto result = std::to_string(places);
  if (limits.connections_max == 0)
    result += " with " + std::to_string(descriptors_max()) + " open files; "
              + more_descriptors_advice;
  return result;
}

/// Executors belong to one application. The workers of many machines may share a certificate.
/// Peers without an identity cannot be told apart.
bool is_limited(std::string_view identity) {
  return !identity.empty() && !identity.starts_with(to_string(Role::executor))
         && !identity.starts_with(to_string(Role::node));
}

std::string name_of(const std::optional<Identity>& x) {
  return x ? to_string(*x) : std::string{};
}

/// The kernel's addresses of both ends.
SocketAddress socket_address(const tcp::endpoint& x) {
  return {x.address().to_string(), x.port()};
}

/// A fatal alert "access denied" of TLS (RFC 8446, section 6), which takes no handshake.
constexpr std::array<unsigned char, 7> access_denied{21, 3, 3, 0, 2, 2, 49};

} // namespace

DoorListener::DoorListener(ListenerThreads threads,
                           std::shared_ptr<const DoorConfig> config,
                           std::shared_ptr<LocalStreams> streams,
                           std::shared_ptr<PeerDirectory> peers,
                           const caf::strong_actor_ptr& actor,
                           std::shared_ptr<Credentials> credentials,
                           std::function<void()> on_refusal)
    : threads_(threads), config_(std::move(config)),
      streams_(std::move(streams)), peers_(std::move(peers)),
      receiver_(std::make_shared<Receiver>(actor)),
      credentials_(std::move(credentials)), context_(threads.accepting.next()),
      acceptor_(std::make_unique<tcp::acceptor>(context_)),
      pause_(std::make_unique<asio::steady_timer>(context_)),
      on_refusal_(std::move(on_refusal)), lobby_(config_->limits.lobby),
      budget_(std::make_shared<FrameBudget>(
          credentials_ && credentials_->application()
              ? config_->limits.application_unfinished_max
              : config_->limits.unfinished_max)),
      places_(places_of(config_->limits), is_limited) {
}

Result<std::uint16_t> DoorListener::open(const std::string& host,
                                         std::uint16_t port) {
  auto opened = open_acceptor(context_, host, port);
  if (!opened)
    return Error{opened.code(),
                 opened.error().message
                     + "; choose another with --host and --port"};
  *acceptor_ = std::move(*opened);
  error_code error;
  port_ = acceptor_->local_endpoint(error).port();
  if (auto good = streams_->open(port_); !good)
    return std::move(good).error();
  asio::post(context_, [x = shared_from_this()] { x->accept(); });
  return port_;
}

void DoorListener::close() {
  std::promise<void> closed;
  asio::post(context_, [&] {
    acceptor_.reset();
    pause_.reset();
    // What was under way is told of that first.
    asio::post(context_, [&] { closed.set_value(); });
  });
  closed.get_future().wait();
  receiver_->close();
}

void DoorListener::accept() {
  acceptor_->async_accept(
      threads_.handshakes.next(),
      [x = shared_from_this()](error_code error, PlainStream socket) {
        if (!x->acceptor_)
          return;
        if (error) {
          x->note_shortage(error.value());
          return x->accept_later();
        }
        // Before anything that can fail, such as for a lack of memory.
        x->accept();
        try {
          x->welcome(std::move(socket));
        } catch (const std::exception& e) {
          x->warn(std::string{"closed a connection: "} + e.what());
        }
      });
}

void DoorListener::accept_later() {
  pause_->expires_after(pause_after_failure);
  pause_->async_wait([x = shared_from_this()](error_code error) {
    if (!error && x->acceptor_)
      x->accept();
  });
}

void DoorListener::welcome(PlainStream socket) {
  error_code error;
  auto here = socket.local_endpoint(error);
  auto there = error ? tcp::endpoint{} : socket.remote_endpoint(error);
  if (error)
    return;
  auto peer = socket_address(there);
  auto owner = config_->find_owner(socket_address(here), peer);
  if (owner.kind == PeerOwner::Kind::closed) {
    if (is_established(socket.native_handle()))
      warn("closed a connection of " + peer_name(peer, owner) + ": "
           + no_owner_text);
    return;
  }
  if (owner.kind == PeerOwner::Kind::user && is_for_owner_alone()
      && owner.user != 0 && owner.user != ::geteuid())
    return turn_away(socket, owner.user);
  socket.set_option(tcp::no_delay{true}, error);
  socket.set_option(asio::socket_base::keep_alive{true}, error);
  auto name = peer_name(peer, owner);
  auto executor = socket.get_executor();
  auto visitor = make_door_visitor(shared_from_this(), std::move(socket),
                                   peer.host, name);
  auto ticket = lobby_.enter(name, Lobby::Clock::now(),
                             [weak = std::weak_ptr{visitor}] {
                               if (auto x = weak.lock())
                                 x->leave();
                             });
  if (!ticket)
    return warn("closed a connection of " + name
                + ": too many have yet to prove themselves, "
                + std::to_string(lobby_.count_of(name)) + " of them its own");
  post_to(executor, [visitor, ticket = *ticket] { visitor->begin(ticket); });
}

bool DoorListener::is_for_owner_alone() const {
  return credentials_ && !credentials_->names_hosts()
         && !credentials_->application();
}

void DoorListener::turn_away(PlainStream& socket, uid_t user) {
  static_cast<void>(::send(socket.native_handle(), access_denied.data(),
                           access_denied.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
  warn("refused a connection of user " + std::to_string(user)
       + ": without certificates of a cluster, only processes of user "
       + std::to_string(::geteuid()) + " get in");
}

void DoorListener::warn(const std::string& what) {
  refusals_.warn(what);
  if (on_refusal_)
    on_refusal_();
}

Status DoorListener::take_place(const std::optional<Identity>& who) {
  auto name = name_of(who);
  std::lock_guard guard{mutex_};
  if (places_.has_place_for(name)) {
    places_.take(name);
    return {};
  }
  auto all = places_text(places_.max(), config_->limits);
  if (places_.free() == 0)
    return Error{Errc::not_alive,
                 "the master has as many connections as it may: " + all};
  auto own = places_.taken_by(name);
  return Error{Errc::not_alive,
               name + " has " + std::to_string(own)
                   + " connections, and may have no more"
                   + (own < places_.share()
                          ? " while " + std::to_string(places_.free())
                                + " are free of the master's "
                          : ": half of the master's ")
                   + all};
}

void DoorListener::leave_place(const std::optional<Identity>& who) {
  std::lock_guard guard{mutex_};
  places_.release(name_of(who));
}

} // namespace stoker
