# Debian ships CAF 0.17 without CMake files.
# Defines CAF::core, CAF::io and CAF::openssl.
set(CAF_COMPONENTS core io openssl)
find_path(CAF_INCLUDE_DIR caf/config.hpp)
set(CAF_NEEDED CAF_INCLUDE_DIR)
foreach (component IN LISTS CAF_COMPONENTS)
  find_library(CAF_LIBRARY_${component} caf_${component})
  mark_as_advanced(CAF_LIBRARY_${component})
  list(APPEND CAF_NEEDED CAF_LIBRARY_${component})
endforeach ()

if (CAF_INCLUDE_DIR)
  # One number holds the version: 1706 is 0.17.6.
  file(STRINGS "${CAF_INCLUDE_DIR}/caf/config.hpp" CAF_VERSION_LINE
       REGEX "^#define CAF_VERSION [0-9]+$")
  if (CAF_VERSION_LINE MATCHES "([0-9]+)$")
    math(EXPR CAF_MAJOR "${CMAKE_MATCH_1} / 10000")
    math(EXPR CAF_MINOR "${CMAKE_MATCH_1} / 100 % 100")
    math(EXPR CAF_PATCH "${CMAKE_MATCH_1} % 100")
    set(CAF_VERSION "${CAF_MAJOR}.${CAF_MINOR}.${CAF_PATCH}")
  endif ()
endif ()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CAF REQUIRED_VARS ${CAF_NEEDED}
                                  VERSION_VAR CAF_VERSION)

if (CAF_FOUND AND NOT TARGET CAF::core)
  set(previous "")
  foreach (component IN LISTS CAF_COMPONENTS)
    add_library(CAF::${component} UNKNOWN IMPORTED)
    set_target_properties(CAF::${component} PROPERTIES
      IMPORTED_LOCATION "${CAF_LIBRARY_${component}}"
      INTERFACE_INCLUDE_DIRECTORIES "${CAF_INCLUDE_DIR}"
      INTERFACE_LINK_LIBRARIES "${previous}")
    # Each needs the one before it.
    set(previous CAF::${component})
  endforeach ()
endif ()
