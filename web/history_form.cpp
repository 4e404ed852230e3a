#include "web/history_form.hpp"

#include <boost/algorithm/string/case_conv.hpp>

#include "messages/states.hpp"
#include "pages/cells.hpp"
#include "web/url.hpp"

namespace stoker {

namespace {

std::optional<std::string> typed(const std::string& x) {
  return x.empty() ? std::nullopt : std::optional{x};
}

/// "executors" or "executor"; what is none of them is all.
std::vector<HistoryKind> kinds_typed(const HistoryForm& form) {
  if (form.kind.empty() && form.id.empty())
    return {HistoryKind::application, HistoryKind::driver};
  for (auto kind : {HistoryKind::application, HistoryKind::driver,
                    HistoryKind::executor, HistoryKind::stage})
    if (form.kind == to_string(kind) || form.kind == to_string(kind) + 's')
      return {kind};
  return {};
}

} // namespace

HistoryForm parse_history_form(std::string_view target) {
  auto value = [&](const char* name) {
    return query_value(target, name).value_or("");
  };
  return {value("kind"),    value("id"),    value("user"),
          value("company"), value("state"), value("after")};
}

RequestHistory history_request(const HistoryForm& x) {
  RequestHistory result;
  result.kinds = kinds_typed(x);
  // All else has a '/' or another beginning.
  if (x.id.starts_with("app-") && x.id.find('/') == std::string::npos)
    result.app_id = AppId{x.id};
  else
    result.id = typed(x.id);
  result.user = typed(x.user);
  result.company = typed(x.company);
  result.state = typed(boost::algorithm::to_upper_copy(x.state));
  result.after = typed(x.after);
  return result;
}

RequestUse use_request(const HistoryForm& x) {
  return {std::nullopt, std::nullopt, typed(x.company), typed(x.user)};
}

pages::Form form_of(const HistoryForm& x) {
  return {"/history",
          "Show",
          {{"Only what has",
            {{"kind", "Kind", x.kind, "executors"},
             {"id", "Id", x.id, "app-..."},
             {"user", "User", x.user, "ann"},
             {"company", "Company", x.company, ""},
             {"state", "State", x.state, "failed"}}}}};
}

std::string href_of_next(const HistoryForm& x, const std::string& after) {
  std::string result{"/history?after=" + pages::url_encoded(after)};
  auto add = [&](const char* name, const std::string& value) {
    if (!value.empty())
      result += std::string{"&"} + name + '=' + pages::url_encoded(value);
  };
  add("kind", x.kind);
  add("id", x.id);
  add("user", x.user);
  add("company", x.company);
  add("state", x.state);
  return result;
}

} // namespace stoker
