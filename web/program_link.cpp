#include "web/program_link.hpp"

#include "pages/cells.hpp"
#include "web/http_client.hpp"

namespace stoker {

std::optional<pages::Fact>
link_to_program(const ApplicationInfo& app,
                const std::optional<SparkDriver>& driver, bool has_proxy) {
  if (app.ended_ms || !driver)
    return std::nullopt;
  auto page = parse_web_address(driver->ui_url);
  if (!page)
    return std::nullopt;
  auto address = to_string(*page) + '/';
  auto href = has_proxy && !page->is_encrypted
                  ? "/proxy/" + pages::url_encoded(app.id.value) + '/'
                  : address;
  return pages::Fact{"Page of the program", pages::link_to(address, href)};
}

} // namespace stoker
