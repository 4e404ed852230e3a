#pragma once

#include <string>

#include <ctemplate/template_dictionary.h>

namespace stoker::pages {

/// Fills in one of the templates. What is filled in is escaped for where it stands, so that
/// no name becomes a tag or a script. For any thread.
/// @param name of a file in templates/, as "table.html"
std::string expand(const char* name, const ctemplate::TemplateDictionary& with);

} // namespace stoker::pages
