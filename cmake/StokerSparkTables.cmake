# stoker_spark_tables(<target>) makes the files of spark/versions a part of the target,
# which then has `embedded_tables()`: a source for each, and one that names them all.
# A file that comes, changes or goes is noticed when the target is built again.
function (stoker_spark_tables target)
  set(folder "${PROJECT_SOURCE_DIR}/spark/versions")
  set(made "${CMAKE_CURRENT_BINARY_DIR}/versions")
  file(GLOB tables CONFIGURE_DEPENDS "${folder}/*.json")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${tables})
  set(declarations "")
  set(names "")
  set(sources "${made}/all_tables.cpp")
  foreach (table IN LISTS tables)
    get_filename_component(version "${table}" NAME_WLE)
    string(MAKE_C_IDENTIFIER "table_${version}" name)
    file(READ "${table}" text)
    file(CONFIGURE OUTPUT "${made}/${name}.cpp" @ONLY CONTENT [[
#include <string_view>

namespace stoker::spark {

std::string_view @name@() {
  return R"table(@text@)table";
}

} // namespace stoker::spark
]])
    string(APPEND declarations "std::string_view ${name}();\n")
    string(APPEND names "${name}(), ")
    list(APPEND sources "${made}/${name}.cpp")
  endforeach ()
  file(CONFIGURE OUTPUT "${made}/all_tables.cpp" @ONLY CONTENT [[
#include "spark/embedded_tables.hpp"

namespace stoker::spark {

@declarations@
std::vector<std::string_view> embedded_tables() {
  return {@names@};
}

} // namespace stoker::spark
]])
  target_sources(${target} PRIVATE ${sources})
endfunction ()
