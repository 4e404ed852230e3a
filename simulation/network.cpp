#include "simulation/network.hpp"

#include <algorithm>

namespace stoker::simulation {

namespace {

/// How long a connection attempt without any answer takes to fail.
constexpr Duration connect_patience = std::chrono::seconds{10};

Side other(Side x) {
  return x == Side::peer ? Side::server : Side::peer;
}

} // namespace

Duration Network::delay() {
  auto x = dice_.between(0, 99);
  auto result = x < 90   ? dice_.lasting(Duration{0}, Duration{2})
                : x < 99 ? dice_.lasting(Duration{0}, Duration{50})
                         : dice_.lasting(Duration{0}, std::chrono::seconds{2});
  return result + extra_delay_;
}

void Network::connect(Peer& peer, Server& server,
                      const std::function<void(const LinkPtr&)>& done) {
  auto refuse = [this, &peer, life = peer.life(), done](Duration pause) {
    queue_.after(pause,
                 [&peer, life, done] { peer.run(life, [=] { done({}); }); });
  };
  if (is_cut(peer, server))
    return refuse(connect_patience);
  auto arrival = delay();
  if (!server.up())
    return refuse(arrival);
  queue_.after(arrival, [=, this, &peer, &server, life = peer.life()] {
    if (!peer.up() || peer.life() != life)
      return;
    if (!server.up() || is_cut(peer, server))
      return refuse(delay());
    auto same = [&](const LinkPtr& x) {
      return x->peer == &peer && x->server == &server && !x->broken
             && x->end(Side::peer).open && x->end(Side::server).open;
    };
    auto i = std::find_if(links_.begin(), links_.end(), same);
    auto link = i == links_.end() ? std::make_shared<Link>() : *i;
    if (i == links_.end()) {
      link->peer = &peer;
      link->server = &server;
      link->end(Side::peer).life = peer.life();
      link->end(Side::server).life = server.life();
      links_.push_back(link);
    }
    queue_.after(delay(), [&peer, life, done, link] {
      if (link->end(Side::peer).open)
        peer.run(life, [=] { done(link); });
      else
        peer.run(life, [=] { done({}); });
    });
  });
}

// -- messages -----------------------------------------------------------------

void Network::say(const LinkPtr& link, Event x, std::uint64_t request) {
  carry(link, Side::server, [request, x = std::move(x)](const LinkPtr& y) {
    y->server->hear(y, x, request);
  });
}

void Network::tell(const LinkPtr& link, LeaderEpoch from, Statement x) {
  carry(link, Side::peer, [from, x = std::move(x)](const LinkPtr& y) {
    y->peer->hear(y, from, x);
  });
}

void Network::follow(const LinkPtr& link, Side to, std::function<void()> what) {
  auto& end = link->end(to);
  if (link->broken || !end.open)
    return;
  if (end.on_way.empty() && !is_cut(*link->peer, *link->server))
    return link->process(to).run(end.life, [link, to, what = std::move(what)] {
      if (link->end(to).open)
        what();
    });
  end.on_way.emplace_back([what = std::move(what)](const LinkPtr&) { what(); });
  queue_.at(std::max(end.last_due, queue_.now()),
            [this, link, to] { arrive(link, to); });
}

void Network::carry(const LinkPtr& link, Side to,
                    std::function<void(const LinkPtr&)> what) {
  if (link->broken || !link->end(other(to)).open)
    return;
  auto& end = link->end(to);
  end.on_way.push_back(std::move(what));
  end.last_due = std::max(end.last_due, queue_.now() + delay());
  queue_.at(end.last_due, [this, link, to] { arrive(link, to); });
}

void Network::arrive(const LinkPtr& link, Side to) {
  auto& end = link->end(to);
  if (end.on_way.empty())
    return;
  if (is_cut(*link->peer, *link->server)) {
    ++end.held;
    return;
  }
  auto what = std::move(end.on_way.front());
  end.on_way.pop_front();
  // An end that was closed meanwhile hears no more, even if it is stopped now.
  link->process(to).run(end.life, [link, to, what = std::move(what)] {
    if (link->end(to).open)
      what(link);
  });
}

// -- ends ---------------------------------------------------------------------

void Network::close(const LinkPtr& link, Side side) {
  auto& end = link->end(side);
  link->process(side).run(end.life, [link, side] {
    if (!std::exchange(link->end(side).open, false))
      return;
    if (side == Side::peer)
      link->peer->link_broke(link);
    else
      link->server->link_broke(link);
  });
}

/// Some of what is on its way still arrives.
void Network::close_later(const LinkPtr& link, Side side) {
  auto& end = link->end(side);
  auto arrives = static_cast<std::size_t>(
      dice_.between(0, static_cast<std::int64_t>(end.on_way.size())));
  end.on_way.resize(arrives);
  auto when = std::max(end.last_due, queue_.now() + delay());
  queue_.at(when, [link, side] { close(link, side); });
}

void Network::fail(const LinkPtr& link) {
  link->broken = true;
  link->peer->disturb();
  link->server->disturb();
  if (is_cut(*link->peer, *link->server))
    return;
  for (auto side : {Side::peer, Side::server})
    if (link->end(side).open)
      close_later(link, side);
}

void Network::drop(const Process& process) {
  for (const auto& link : links_) {
    if (link->peer != &process && link->server != &process)
      continue;
    auto gone = link->peer == &process ? Side::peer : Side::server;
    link->end(gone).open = false;
    link->end(gone).on_way.clear();
    fail(link);
  }
  release();
}

void Network::break_links(const Process& process) {
  for (const auto& link : links_)
    if ((link->peer == &process || link->server == &process) && !link->broken)
      fail(link);
  release();
}

/// Forgets connections that nobody has any more.
void Network::release() {
  std::erase_if(links_, [](const LinkPtr& x) {
    return x->broken && !x->end(Side::peer).open && !x->end(Side::server).open;
  });
}

// -- cuts ---------------------------------------------------------------------

bool Network::is_cut(const Process& a, const Process& b) const {
  if (cuts_.empty())
    return false;
  return cuts_.contains({a.name(), {}}) || cuts_.contains({b.name(), {}})
         || cuts_.contains({a.name(), b.name()})
         || cuts_.contains({b.name(), a.name()});
}

void Network::cut(const std::string& a, const std::string& b) {
  if (cuts_.insert({a, b}).second)
    disturbance_.begin(queue_.now());
  for (const auto& link : links_)
    if (is_cut(*link->peer, *link->server) && !link->broken)
      for (auto side : {Side::peer, Side::server})
        // The kernel gives a connection up over which nothing passes.
        queue_.after(
            dice_.lasting(std::chrono::seconds{15}, std::chrono::seconds{60}),
            [this, link, side] {
              if (!is_cut(*link->peer, *link->server))
                return;
              link->broken = true;
              close(link, side);
            });
}

void Network::mend(const std::string& a, const std::string& b) {
  if (cuts_.erase({a, b}) > 0)
    disturbance_.end(queue_.now());
  for (const auto& link : links_) {
    if (is_cut(*link->peer, *link->server))
      continue;
    for (auto side : {Side::peer, Side::server}) {
      auto held = std::exchange(link->end(side).held, 0);
      for (std::size_t i = 0; i < held; ++i)
        queue_.after(Duration{1}, [this, link, side] { arrive(link, side); });
    }
    if (link->broken)
      fail(link);
  }
  release();
}

void Network::mend_all() {
  extra_delay_ = Duration{};
  while (!cuts_.empty()) {
    auto [a, b] = *cuts_.begin();
    mend(a, b);
  }
  disturbance_.end_all(queue_.now());
}

} // namespace stoker::simulation
