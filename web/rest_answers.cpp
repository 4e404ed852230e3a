#include "web/rest_answers.hpp"

#include <optional>

#include "messages/json.hpp"
#include "messages/last_start.hpp"
#include "messages/printable.hpp"
#include "messages/utf8_json.hpp"
#include "web/cluster_state.hpp"
#include "web/cluster_view.hpp"

namespace stoker {

namespace {

template <class T>
HttpResponse json_or_404(const std::optional<T>& x, const std::string& id) {
  return x ? http_json(utf8_json(to_json(*x))) : not_known(id);
}

} // namespace

HttpResponse not_known(const std::string& id) {
  return http_problem(404, "the master does not know " + printable(id)
                               + ", or not any more");
}

HttpResponse RestAnswers::operator()(const ReadState& x) const {
  return http_json(utf8_json(to_json(cluster_state(cluster_, url_, x.parts))));
}

HttpResponse RestAnswers::operator()(const ReadWorker& x) const {
  return json_or_404(worker_of(cluster_, x.id), x.id.value);
}

HttpResponse RestAnswers::operator()(const ReadApplication& x) const {
  return json_or_404(application_of(cluster_, x.id), x.id.value);
}

HttpResponse RestAnswers::operator()(const ReadExecutor& x) const {
  return json_or_404(executor_of(cluster_, x.id), to_string(x.id));
}

HttpResponse RestAnswers::operator()(const ReadDriver& x) const {
  auto find = [this](const DriverId& id) { return driver_of(cluster_, id); };
  auto driver = find(x.id);
  if (driver)
    driver = by_last_start(*driver, find);
  return json_or_404(driver, x.id.value);
}

HttpResponse RestAnswers::operator()(const ReadSubmission& x) const {
  // One that was started again elsewhere has it, too.
  const StoredDriver* last = nullptr;
  for (const auto& [id, driver] : cluster_.tables().drivers())
    if (driver.submission == x.submission
        && (last == nullptr || last->number < driver.number))
      last = &driver;
  if (last == nullptr || x.submission.empty())
    return http_problem(404, "no driver was submitted as "
                                 + printable(x.submission));
  return json_or_404(driver_of(cluster_, last->id), last->id.value);
}

} // namespace stoker
