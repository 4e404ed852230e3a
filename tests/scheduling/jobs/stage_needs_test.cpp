// Which stages are needed and ready, against a pass over all of them.

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "scheduling/common/random.hpp"
#include "scheduling/jobs/stage_needs.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

constexpr int numbers = 8;

/// Stages that read others of smaller numbers.
struct NaiveStages {
  struct Known {
    std::vector<int> reads;
    bool complete = false;
    bool wanted = false;
  };
  std::map<int, Known> known;

  [[nodiscard]] bool is_complete(int number) const {
    auto found = known.find(number);
    return found != known.end() && found->second.complete;
  }
  [[nodiscard]] bool is_needed(int number) const {
    auto found = known.find(number);
    return found != known.end() && !found->second.complete
           && (found->second.wanted || is_read_by_a_needed_one(number));
  }
  [[nodiscard]] bool is_read_by_a_needed_one(int number) const {
    return std::any_of(known.begin(), known.end(), [&](const auto& x) {
      const auto& reads = x.second.reads;
      return std::find(reads.begin(), reads.end(), number) != reads.end()
             && is_needed(x.first);
    });
  }
  [[nodiscard]] bool is_ready(int number) const {
    if (!is_needed(number))
      return false;
    const auto& reads = known.at(number).reads;
    return std::all_of(reads.begin(), reads.end(),
                       [&](int read) { return is_complete(read); });
  }
};

StageSpec reader_of(int number, const std::vector<int>& reads) {
  StageSpec result;
  result.id = StageId{number};
  for (auto read : reads)
    result.reads.push_back({StageId{read}, DependencyKind::shuffle});
  return result;
}

/// The same, told anew.
StageNeeds told_anew(const NaiveStages& stages) {
  StageNeeds result;
  for (const auto& [number, x] : stages.known) {
    result.add(reader_of(number, x.reads));
    result.set_complete(StageId{number}, x.complete);
    if (x.wanted)
      result.want(StageId{number});
  }
  return result;
}

} // namespace

TEST_CASE("the stages that are ready are those that a pass over all of them "
          "finds, and each that becomes so or not is told",
          "[jobs][property]") {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    Random random{seed};
    NaiveStages naive;
    StageNeeds needs;
    std::set<int> ready;
    for (int i = 0; i < 60; ++i) {
      auto number = static_cast<int>(random.below(numbers));
      StageId id{number};
      auto found = naive.known.find(number);
      if (found == naive.known.end()) {
        std::vector<int> reads;
        for (int read = 0; read < number; ++read)
          if (random.below(3) == 0)
            reads.push_back(read);
        naive.known[number].reads = reads;
        needs.add(reader_of(number, reads));
      } else if (random.below(6) == 0
                 && !naive.is_read_by_a_needed_one(number)) {
        naive.known.erase(found);
        needs.erase(id);
      } else if (random.below(3) == 0) {
        found->second.wanted = true;
        needs.want(id);
      } else {
        found->second.complete = random.below(2) == 0;
        needs.set_complete(id, found->second.complete);
      }
      auto changed = needs.take_changed();
      for (int x = 0; x < numbers; ++x) {
        INFO("after " << i << " steps, stage " << x);
        CHECK(needs.is_ready(StageId{x}) == naive.is_ready(x));
        if (naive.is_ready(x) != ready.contains(x))
          CHECK(changed.contains(StageId{x}));
        if (naive.is_ready(x))
          ready.insert(x);
        else
          ready.erase(x);
      }
      CHECK(needs == told_anew(naive));
    }
  }
}

TEST_CASE("a stage that is complete changes those that read it, and no others",
          "[jobs]") {
  StageNeeds needs;
  // Pairs of a stage and the result that reads it.
  for (int i = 0; i < 1000; i += 2) {
    needs.add(reader_of(i, {}));
    needs.add(reader_of(i + 1, {i}));
    needs.want(StageId{i + 1});
  }
  CHECK(needs.take_changed().size() == 1000);
  needs.set_complete(StageId{500}, true);
  CHECK(needs.take_changed() == std::set{StageId{500}, StageId{501}});
  needs.set_complete(StageId{501}, true);
  CHECK(needs.take_changed() == std::set{StageId{501}});
  needs.erase(StageId{501});
  CHECK(needs.take_changed().empty());
}
