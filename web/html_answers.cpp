#include "web/html_answers.hpp"

#include <array>
#include <memory>
#include <utility>

#include "pages/sentence.hpp"
#include "pages/table.hpp"

namespace stoker {

namespace {

/// Scripts and styles of this server alone, no frames around it, and no word to others of
/// what was read here.
constexpr std::array<std::pair<const char*, const char*>, 3> page_fields{
    {{"Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src "
      "'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
      "frame-ancestors 'none'"},
     {"X-Frame-Options", "DENY"},
     // With less than that a browser does not say which page a form is of.
     {"Referrer-Policy", "same-origin"}}};

const char* title_of(unsigned status) {
  switch (status) {
  case 400:
    return "Not understood";
  case 401:
    return "Not signed in";
  case 403:
    return "Not allowed";
  case 404:
    return "Not there";
  default:
    return "Not done";
  }
}

} // namespace

HttpResponse html_answer(unsigned status, const pages::Page& page,
                         const pages::Frame& frame) {
  HttpResponse result;
  result.status = status;
  result.content_type = "text/html;charset=utf-8";
  result.body = std::make_shared<const std::string>(html(page, frame));
  for (const auto& [name, value] : page_fields)
    result.fields.emplace_back(name, value);
  return result;
}

HttpResponse sentence_answer(unsigned status, const std::string& title,
                             const std::string& sentence,
                             const pages::Frame& frame,
                             const std::vector<pages::Fact>& links) {
  pages::Page page{title, {}, false};
  // Nothing follows, but for a master that may lead later.
  page.sections.push_back(
      {"sentence", pages::sentences_html("", {sentence}), status == 503});
  if (!links.empty())
    page.sections.push_back({"links", html(links), false});
  return html_answer(status, page, frame);
}

HttpResponse page_of_problem(const HttpResponse& x, const pages::Frame& frame,
                             const std::vector<pages::Fact>& links) {
  auto result = sentence_answer(x.status, title_of(x.status),
                                pages::sentence(x.problem), frame, links);
  result.fields.insert(result.fields.end(), x.fields.begin(), x.fields.end());
  return result;
}

bool takes_html(const HttpRequest& x) {
  return x.accept.find("text/html") != std::string::npos;
}

HttpResponse see_other(const std::string& path) {
  HttpResponse result;
  result.status = 303;
  result.fields.emplace_back("Location", path);
  return result;
}

} // namespace stoker
