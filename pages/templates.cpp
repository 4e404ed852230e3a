#include "pages/templates.hpp"

#include <cassert>

#include <ctemplate/template.h>
#include <ctemplate/template_cache.h>

#include "pages/embedded.hpp"

namespace stoker::pages {

namespace {

constexpr auto strip = ctemplate::DO_NOT_STRIP;

/// Makes the library escape by where a value stands: in text, in an attribute, in an address.
constexpr const char* escapes = "{{%AUTOESCAPE context=\"HTML\"}}";

class Cache {
public:
  Cache() {
    for (const auto& x : embedded_templates()) {
      [[maybe_unused]] auto is_template = cache_.StringToTemplateCache(
          std::string{x.name}, escapes + std::string{x.content}, strip);
      assert(is_template);
    }
    // From now on it is read without locks.
    cache_.Freeze();
  }

  [[nodiscard]] std::string
  expand(const char* name, const ctemplate::TemplateDictionary& with) const {
    std::string result;
    cache_.ExpandNoLoad(name, strip, &with, nullptr, &result);
    return result;
  }

private:
  ctemplate::TemplateCache cache_;
};

} // namespace

std::string expand(const char* name,
                   const ctemplate::TemplateDictionary& with) {
  static const Cache cache;
  return cache.expand(name, with);
}

} // namespace stoker::pages
