# What browsers load with the pages, where Debian's packages put it. Only needed to build.
# Defines BrowserLibraries_BOOTSTRAP_CSS and BrowserLibraries_CHART_JS.
find_file(BrowserLibraries_BOOTSTRAP_CSS bootstrap.min.css
  PATHS /usr/share/bootstrap-html/css /usr/share/javascript/bootstrap5/css
  NO_DEFAULT_PATH)
find_file(BrowserLibraries_CHART_JS chart.min.js
  PATHS /usr/share/javascript/chart.js NO_DEFAULT_PATH)
mark_as_advanced(BrowserLibraries_BOOTSTRAP_CSS BrowserLibraries_CHART_JS)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(BrowserLibraries REQUIRED_VARS
  BrowserLibraries_BOOTSTRAP_CSS BrowserLibraries_CHART_JS
  REASON_FAILURE_MESSAGE "install libjs-bootstrap5 and libjs-chart.js")
