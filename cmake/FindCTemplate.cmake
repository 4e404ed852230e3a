# Debian ships nothing for CMake. Defines CTemplate::ctemplate.
find_path(CTEMPLATE_INCLUDE_DIR ctemplate/template.h)
find_library(CTEMPLATE_LIBRARY ctemplate)
mark_as_advanced(CTEMPLATE_INCLUDE_DIR CTEMPLATE_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CTemplate REQUIRED_VARS
  CTEMPLATE_LIBRARY CTEMPLATE_INCLUDE_DIR)

if (CTemplate_FOUND AND NOT TARGET CTemplate::ctemplate)
  add_library(CTemplate::ctemplate UNKNOWN IMPORTED)
  set_target_properties(CTemplate::ctemplate PROPERTIES
    IMPORTED_LOCATION "${CTEMPLATE_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${CTEMPLATE_INCLUDE_DIR}")
endif ()
