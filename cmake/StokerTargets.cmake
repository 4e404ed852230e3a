# Options that every target of this project is built with. Warnings are for this
# project alone: a user of the installed package has rules of his own.
add_library(stoker_options INTERFACE)
target_compile_features(stoker_options INTERFACE cxx_std_20)
# Libraries and programs alike, so that they can share precompiled headers.
target_compile_options(stoker_options INTERFACE $<BUILD_INTERFACE:-fPIC>)
target_compile_options(stoker_options INTERFACE
  "$<BUILD_INTERFACE:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Werror>"
  # Messages are aggregates whose members have defaults; naming all of them
  # would say less.
  "$<BUILD_INTERFACE:-Wno-missing-field-initializers>"
  # GCC 12 sees strings in variants as uninitialised when they are not; the
  # sanitizers look for the real ones.
  "$<BUILD_INTERFACE:-Wno-maybe-uninitialized>"
  # It also sees strings read past their end, in its own headers, when these are
  # precompiled.
  "$<BUILD_INTERFACE:-Wno-array-bounds;-Wno-restrict>"
  "$<BUILD_INTERFACE:-Wno-stringop-overflow;-Wno-stringop-overread>")
target_include_directories(stoker_options INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/stoker>)

set(STOKER_SANITIZE "" CACHE STRING
    "Sanitizers, as -fsanitize= takes them: address,undefined or thread")
if (STOKER_SANITIZE)
  # A library with sanitizers needs them in every program that links it, so
  # these go to users as well.
  target_compile_options(stoker_options INTERFACE
    -fsanitize=${STOKER_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(stoker_options INTERFACE -fsanitize=${STOKER_SANITIZE})
endif ()

# stoker_folder(<name> SOURCES ... LINKS ... [PRECOMPILED <set>]) declares the
# library of one folder: target stoker_<name>, alias Stoker::<name>.
function (stoker_folder name)
  cmake_parse_arguments(ARG "" "PRECOMPILED" "SOURCES;LINKS" ${ARGN})
  if (NOT ARG_PRECOMPILED)
    set(ARG_PRECOMPILED core)
  endif ()
  add_library(stoker_${name} STATIC ${ARG_SOURCES})
  add_library(Stoker::${name} ALIAS stoker_${name})
  target_link_libraries(stoker_${name} PUBLIC stoker_options ${ARG_LINKS})
  stoker_precompile(stoker_${name} ${ARG_PRECOMPILED})
  set_target_properties(stoker_${name} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY STOKER_LIBRARIES stoker_${name})
endfunction ()
