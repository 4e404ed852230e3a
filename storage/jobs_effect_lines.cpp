#include "storage/jobs_effect_lines.hpp"

#include <cstdint>
#include <cstdio>
#include <variant>

#include "scheduling/common/render_fields.hpp"
#include "scheduling/jobs/render_jobs.hpp"

namespace stoker {

namespace {

template <class T>
T with_last_lines_cut(T x) {
  x.last_lines = std::string{logged_end_of(x.last_lines)};
  return x;
}

/// FNV-1a of 64 bits.
class Fingerprint {
public:
  void add(std::string_view x) {
    for (unsigned char c : x)
      add_byte(c);
    add_byte(0);
  }
  void add(std::int32_t x) {
    for (unsigned shift = 0; shift < 32; shift += 8)
      add_byte(
          static_cast<unsigned char>(static_cast<std::uint32_t>(x) >> shift));
  }
  [[nodiscard]] std::string text() const {
    char text[17];
    std::snprintf(text, sizeof(text), "%016llx",
                  static_cast<unsigned long long>(hash_));
    return text;
  }

private:
  void add_byte(unsigned char x) {
    hash_ = (hash_ ^ x) * 0x100000001b3U;
  }
  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

std::string outputs_text(const StageOutputs& x) {
  std::string result;
  if (x.places.size() <= logged_outputs_max) {
    render_fields(result, x, false);
    return result;
  }
  Fingerprint all;
  for (const auto& server : x.servers) {
    for (const auto* text : {&server.host, &server.directory, &server.id})
      all.add(*text);
    all.add(std::int32_t{server.port});
  }
  for (const auto& place : x.places) {
    all.add(place.server);
    all.add(place.attempt);
  }
  return "stage=" + to_string(x.stage)
         + " servers=" + std::to_string(x.servers.size()) + " places="
         + std::to_string(x.places.size()) + " fingerprint=" + all.text();
}

} // namespace

std::string_view logged_end_of(std::string_view lines) {
  if (lines.size() <= logged_lines_bytes_max)
    return lines;
  lines.remove_prefix(lines.size() - logged_lines_bytes_max);
  while (!lines.empty()
         && (static_cast<unsigned char>(lines.front()) & 0xc0U) == 0x80)
    lines.remove_prefix(1);
  return lines;
}

const std::string& JobsEffectLines::text_of(const TellOutputs& x) {
  auto& known = outputs_[x.outputs->stage];
  if (known.list != x.outputs)
    known = {x.outputs, outputs_text(*x.outputs)};
  return known.text;
}

std::string_view JobsEffectLines::line(const JobsEffect& x) {
  line_.clear();
  if (const auto* told = std::get_if<TellOutputs>(&x)) {
    line_ += "TellOutputs exec_id=";
    append_number(line_, told->exec_id);
    (line_ += ' ') += text_of(*told);
  } else if (const auto* result = std::get_if<AcceptResult>(&x)) {
    // The result itself is the user's, and may be large.
    append_to(line_, AcceptResult{result->job, result->id, {}});
    if (result->result)
      line_ += " result=(not shown)";
  } else if (const auto* failed = std::get_if<AttemptFailed>(&x);
             failed != nullptr
             && failed->last_lines.size() > logged_lines_bytes_max) {
    append_to(line_, with_last_lines_cut(*failed));
  } else if (const auto* end = std::get_if<JobEnded>(&x);
             end != nullptr
             && end->last_lines.size() > logged_lines_bytes_max) {
    append_to(line_, with_last_lines_cut(*end));
  } else {
    append_to(line_, x);
  }
  if (const auto* dropped = std::get_if<DropStages>(&x))
    for (auto stage : dropped->stages)
      outputs_.erase(stage);
  return line_;
}

} // namespace stoker
