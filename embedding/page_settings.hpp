#pragma once

#include <string>

namespace stoker {

/// How the pages of a master show those of programs of Spark's.
struct PageSettings {
  /// Whether the pages serve those of applications below /proxy/ [spark.ui.reverseProxy].
  bool is_reverse_proxy = false;

  /// Where a proxy in front of the pages is, without a slash at the end; empty: there is none
  /// [spark.ui.reverseProxyUrl].
  std::string reverse_proxy_url;
};

} // namespace stoker
