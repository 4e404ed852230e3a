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
  "$<BUILD_INTERFACE:-Wno-missing-field-initializers>")
if (CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(stoker_options INTERFACE
    # GCC 12 sees strings in variants as uninitialised when they are not; the
    # sanitizers look for the real ones.
    "$<BUILD_INTERFACE:-Wno-maybe-uninitialized>"
    # It also sees strings read past their end, in its own headers, when these are
    # precompiled.
    "$<BUILD_INTERFACE:-Wno-array-bounds;-Wno-restrict>"
    "$<BUILD_INTERFACE:-Wno-stringop-overflow;-Wno-stringop-overread>")
else ()
  # Clang's -Wconversion includes this, GCC's does not; and Clang sees the sources
  # of a batch as one, so that -Wshadow is left to GCC.
  target_compile_options(stoker_options INTERFACE
    "$<BUILD_INTERFACE:-Wno-sign-conversion;-Wno-shadow>")
endif ()
target_include_directories(stoker_options INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/stoker>)

set(STOKER_SANITIZE "" CACHE STRING
    "Sanitizers, as -fsanitize= takes them: address,undefined or thread")
if (STOKER_SANITIZE)
  # A library with sanitizers needs them in every program that links it, so
  # these go to users as well. What is asked before each access, whether the
  # pointer is null, aligned and of the right size and type, takes long to compile,
  # and the address sanitizer sees the access itself.
  target_compile_options(stoker_options INTERFACE
    -fsanitize=${STOKER_SANITIZE} -fno-sanitize-recover=all
    -fno-sanitize=null,alignment,object-size,vptr -fno-omit-frame-pointer)
  target_link_options(stoker_options INTERFACE -fsanitize=${STOKER_SANITIZE})
endif ()

option(STOKER_FUZZ "Fuzz parsers of what others send (needs Clang)" OFF)

# The fuzzer sees which branches of a target an input takes. All of a program would
# take long to compile, and teach it about what it does not look for.
function (stoker_fuzzed target)
  if (STOKER_FUZZ)
    target_compile_options(${target} PRIVATE
      -fsanitize-coverage=inline-8bit-counters,indirect-calls,trace-cmp,pc-table)
  endif ()
endfunction ()

option(STOKER_UNITY "Compile the sources of a folder in few batches" OFF)

# Compiles the sources of a target in batches, which takes a quarter of the time that
# they take one by one. Changing one source then costs a batch: builds from scratch
# use it, developers' own builds do not.
function (stoker_unity target)
  cmake_parse_arguments(ARG "" "BATCH" "" ${ARGN})
  if (NOT ARG_BATCH)
    set(ARG_BATCH 80)
  endif ()
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${STOKER_UNITY}
    UNITY_BUILD_BATCH_SIZE ${ARG_BATCH})
endfunction ()

# Sources that are APART share no batch: their names clash with those of others.
function (stoker_apart)
  set_property(SOURCE ${ARGN} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
endfunction ()

# stoker_folder(<name> SOURCES ... LINKS ... [PRECOMPILED <set>] [BATCH <sources>]
#               [APART ...] [FUZZED])
# declares the library of one folder: target stoker_<name>, alias Stoker::<name>.
# FUZZED: it has parsers of what others send, see tests/fuzz. PRECOMPILED none: it
# uses nothing of those sets.
function (stoker_folder name)
  cmake_parse_arguments(ARG "FUZZED" "PRECOMPILED;BATCH" "SOURCES;APART;LINKS" ${ARGN})
  if (NOT ARG_PRECOMPILED)
    set(ARG_PRECOMPILED core)
  endif ()
  add_library(stoker_${name} STATIC ${ARG_SOURCES} ${ARG_APART})
  add_library(Stoker::${name} ALIAS stoker_${name})
  target_link_libraries(stoker_${name} PUBLIC stoker_options ${ARG_LINKS})
  if (NOT ARG_PRECOMPILED STREQUAL none)
    stoker_precompile(stoker_${name} ${ARG_PRECOMPILED})
  endif ()
  stoker_unity(stoker_${name} BATCH ${ARG_BATCH})
  stoker_apart(${ARG_APART})
  if (ARG_FUZZED)
    stoker_fuzzed(stoker_${name})
  endif ()
  set_target_properties(stoker_${name} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY STOKER_LIBRARIES stoker_${name})
endfunction ()
