#pragma once

// Answers that people read.

#include <string>
#include <vector>

#include "pages/page.hpp"
#include "pages/table.hpp"
#include "web/http.hpp"

namespace stoker {

HttpResponse html_answer(unsigned status, const pages::Page& page,
                         const pages::Frame& frame);

/// A page that says one sentence.
/// @param links where it leads on to
HttpResponse sentence_answer(unsigned status, const std::string& title,
                             const std::string& sentence,
                             const pages::Frame& frame,
                             const std::vector<pages::Fact>& links = {});

/// What a problem document says, as a page.
/// @pre `x.problem` is not empty
HttpResponse page_of_problem(const HttpResponse& x, const pages::Frame& frame,
                             const std::vector<pages::Fact>& links = {});

/// Whether a browser asks for a page.
bool takes_html(const HttpRequest& x);

/// Leads a browser on, by GET.
HttpResponse see_other(const std::string& path);

} // namespace stoker
