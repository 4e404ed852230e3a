// The rules for tenants, and configurations.

#include "tools/stoker/tenants_file.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tools/stoker/config_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  auto text = stoker::test::text_of(data, size);
  auto one_line = [](const stoker::Error& e) {
    stoker::test::require(e.message.find('\n') == std::string::npos);
  };
  if (auto tenants = stoker::parse_tenants(text, "tenants.toml"); !tenants)
    one_line(tenants.error());
  if (auto settings = stoker::parse_config(text, "master.toml"); !settings)
    one_line(settings.error());
  return 0;
}
