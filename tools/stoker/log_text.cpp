#include "tools/stoker/log_text.hpp"

#include <algorithm>

#include "messages/printable.hpp"
#include "scheduling/jobs/render_jobs.hpp"
#include "scheduling/master/render.hpp"
#include "storage/replay.hpp"
#include "tools/stoker/table.hpp"

namespace stoker {

namespace {

bool belongs_to_id(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')
         || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
}

/// The peer that an effect goes to: "to PEER: ...".
std::string receiver_of(const std::string& effect) {
  auto end = effect.find(": ");
  return effect.starts_with("to ") && end != std::string::npos
             ? effect.substr(3, end - 3)
             : "";
}

} // namespace

bool has_word(std::string_view text, std::string_view name) {
  for (auto i = text.find(name); i != std::string_view::npos;
       i = text.find(name, i + 1)) {
    auto end = i + name.size();
    if ((i == 0 || !belongs_to_id(text[i - 1]))
        && (end == text.size() || !belongs_to_id(text[end])))
      return true;
  }
  return false;
}

bool LogPrinter::names_any(std::string_view text) const {
  auto has = [&](const std::string& name) { return has_word(text, name); };
  return std::any_of(filter_.names.begin(), filter_.names.end(), has)
         || std::any_of(endpoints_.begin(), endpoints_.end(), has);
}

void LogPrinter::learn_endpoints(const LoggedStep& step) {
  if (const auto* x = std::get_if<RegisterWorker>(&step.event))
    if (filter_.names.contains(x->id.value))
      endpoints_.insert(x->worker.value);
  for (const auto& effect : step.effects)
    for (const auto& name : filter_.names)
      if (effect.find(": RegisteredApplication app_id=" + name + ' ')
          != std::string::npos)
        endpoints_.insert(receiver_of(effect));
}

void LogPrinter::learn_endpoints(const LoggedJobsStep& step) {
  if (const auto* x = std::get_if<RegisterExecutor>(&step.event))
    if (filter_.names.contains(x->worker_id.value))
      endpoints_.insert("exec_id=" + std::to_string(x->exec_id));
}

template <class Step>
void LogPrinter::print_step(const Step& step) {
  auto effects = step.effects;
  auto event = to_string(step.event);
  if (!filter_.names.empty()) {
    learn_endpoints(step);
    if (!names_any(event))
      std::erase_if(effects, [this](const auto& x) { return !names_any(x); });
    if (effects.empty() && !names_any(event))
      return;
  }
  if (step.number < filter_.from || step.number > filter_.to)
    return;
  has_shown_ = true;
  if (json_) {
    out_ << "{\"step\":" << step.number << ',' << step.line.substr(1) << '\n';
    return;
  }
  out_ << utc_time(step.at) << "  " << step.number << "  " << printable(event)
       << '\n';
  for (const auto& effect : effects)
    out_ << "    " << printable(effect) << '\n';
}

void LogPrinter::print(const LoggedStep& step) {
  print_step(step);
}

void LogPrinter::print(const LoggedJobsStep& step) {
  print_step(step);
}

} // namespace stoker
