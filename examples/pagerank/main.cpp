// PageRank on a cluster: which pages of a web are linked to by pages that matter?
//
//     pagerank [PAGES [ROUNDS [MASTER]]]
//
// Makes a web, ranks its pages on the cluster, and compares the ranks with those that
// one thread computes.

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <spdlog/spdlog.h>

#include "jobs/jobs.hpp"

namespace jobs = stoker::jobs;

namespace {

using Page = std::int64_t;
using Pages = std::vector<Page>;
using Clock = std::chrono::steady_clock;

constexpr double damping = 0.85;

/// A web that is the same each time: a page's links lead to early pages more often than
/// to late ones.
struct LinksOf {
  Page pages = 0;

  std::pair<Page, Pages> operator()(Page page) const {
    Pages result;
    auto state = static_cast<std::uint64_t>(page) * 2 + 1;
    for (auto i = page % 7; i >= 0; --i) {
      state = state * 6364136223846793005 + 1442695040888963407;
      auto part = static_cast<double>(state >> 11) / 9007199254740992.0;
      result.push_back(
          static_cast<Page>(static_cast<double>(pages) * part * part));
    }
    return {page, result};
  }
};
BOOST_DESCRIBE_STRUCT(LinksOf, (), (pages))

/// What a page has at first.
double first_rank(const Pages&) {
  return 1;
}

/// A page gives its rank to those that it links to.
void give(const std::pair<Page, std::pair<Pages, double>>& x,
          jobs::Emit<std::pair<Page, double>>& emit) {
  const auto& [links, rank] = x.second;
  // It is there also if nobody links to it.
  emit({x.first, 0});
  for (auto page : links)
    emit({page, rank / static_cast<double>(links.size())});
}

double add(double a, double b) {
  return a + b;
}

double damped(double x) {
  return 1 - damping + damping * x;
}

std::map<Page, double> ranks_by_one_thread(Page pages, int rounds) {
  std::map<Page, double> ranks;
  for (Page page = 0; page < pages; ++page)
    ranks[page] = 1;
  for (auto round = 0; round < rounds; ++round) {
    std::map<Page, double> given;
    for (const auto& [page, rank] : ranks) {
      auto [same, links] = LinksOf{pages}(page);
      given[page] += 0;
      for (auto to : links)
        given[to] += rank / static_cast<double>(links.size());
    }
    for (auto& [page, x] : given)
      x = damped(x);
    ranks = std::move(given);
  }
  return ranks;
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

int fail(const stoker::Error& why) {
  std::cerr << "pagerank: " << why.message << '\n';
  return EXIT_FAILURE;
}

int run(Page pages, int rounds, const std::string& master) {
  spdlog::set_level(spdlog::level::warn);
  auto begin = Clock::now();
  jobs::ContextConfig config;
  config.name = "pagerank";
  config.master = master;
  config.supervisor = STOKER_PROGRAM;
  auto context = jobs::Context::start(config);
  if (!context)
    return fail(context.error());

  constexpr auto partitions = 4;
  // Distributed once; the ranks of each round are distributed in the same way, so that
  // only what pages give each other is sent.
  auto links = (*context)
                   ->range(0, pages, partitions)
                   .map(LinksOf{pages})
                   .shuffle(partitions);
  auto ranks = links.map_values(jobs::fn<&first_rank>);
  std::printf("%-8s %12s %10s\n", "round", "sum", "seconds");
  for (auto round = 1; round <= rounds; ++round) {
    auto round_begin = Clock::now();
    ranks = links.join(ranks)
                .flat_map(jobs::fn<&give>)
                .reduce_by_key(jobs::fn<&add>, partitions)
                .map_values(jobs::fn<&damped>);
    // Each round is a job of its own: what those before it wrote is read again.
    auto sum = ranks.values().reduce(jobs::fn<&add>);
    if (!sum)
      return fail(sum.error());
    std::printf("%-8d %12.3f %10.3f\n", round, sum->value_or(0),
                seconds_since(round_begin));
    std::fflush(stdout);
  }
  auto found = ranks.collect();
  if (!found)
    return fail(found.error());
  std::printf("ranked %zu pages in %.1f s\n", found->size(),
              seconds_since(begin));

  auto expected = ranks_by_one_thread(pages, rounds);
  for (const auto& [page, rank] : *found)
    if (auto one = expected.find(page);
        one == expected.end() || std::abs(one->second - rank) > 1e-9 * rank) {
      std::cerr << "pagerank: page " << page << " has another rank\n";
      return EXIT_FAILURE;
    }
  if (found->size() != expected.size()) {
    std::cerr << "pagerank: pages are missing\n";
    return EXIT_FAILURE;
  }
  std::puts("one thread computes the same");
  return EXIT_SUCCESS;
}

} // namespace

int main(int argc, char** argv) {
  if (auto code = jobs::executor_main(argc, argv))
    return *code;
  auto pages = argc > 1 ? std::atoll(argv[1]) : 10'000;
  auto rounds = argc > 2 ? std::atoi(argv[2]) : 10;
  if (pages < 1 || rounds < 1) {
    std::cerr << "usage: pagerank [PAGES [ROUNDS [MASTER]]]\n";
    return 2;
  }
  return run(pages, rounds, argc > 3 ? argv[3] : "");
}
