# Installs the library as the CMake package `Stoker`, and the command line. The component
# `runtime` is for those who run a cluster, `dev` for those who write programs.
include(CMakePackageConfigHelpers)

set(STOKER_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/Stoker")

# One name for those who want all of it.
add_library(stoker_all INTERFACE)
add_library(Stoker::Stoker ALIAS stoker_all)
set_target_properties(stoker_all PROPERTIES EXPORT_NAME Stoker)
set_target_properties(stoker_options PROPERTIES EXPORT_NAME options)

get_property(STOKER_FOLDERS GLOBAL PROPERTY STOKER_LIBRARIES)
# The command line is for people, and needs libraries that embedding does not.
list(REMOVE_ITEM STOKER_FOLDERS stoker_command_line)
target_link_libraries(stoker_all INTERFACE ${STOKER_FOLDERS})

# The program is part of the package: a program that embeds a cluster needs it
# to supervise what workers start, and finds it as $<TARGET_FILE:Stoker::program>.
set_target_properties(stoker PROPERTIES EXPORT_NAME program)

# Before anything is copied: a part of it is of no use.
install(CODE "
  if (NOT EXISTS \"${CMAKE_CURRENT_BINARY_DIR}/manual/written\")
    message(FATAL_ERROR \"Not all that is installed has been built. Build it first: \"
      \"cmake --build ${CMAKE_CURRENT_BINARY_DIR} --target stoker_product\")
  endif ()" ALL_COMPONENTS)

# Symbols are of no use to those who run the program.
install(CODE "set(CMAKE_INSTALL_DO_STRIP TRUE)" ALL_COMPONENTS)
install(TARGETS stoker EXPORT StokerTargets COMPONENT runtime)
install(TARGETS stoker-barrier stoker-supervise COMPONENT runtime)
install(TARGETS stoker_all stoker_options ${STOKER_FOLDERS}
        EXPORT StokerTargets COMPONENT dev)
install(EXPORT StokerTargets NAMESPACE Stoker:: DESTINATION "${STOKER_PACKAGE_DIR}"
        COMPONENT dev)

# Headers keep their folders, so that `#include "network/actor_network.hpp"` is the same
# inside and outside of this tree.
foreach (library IN LISTS STOKER_FOLDERS)
  get_target_property(folder ${library} SOURCE_DIR)
  install(DIRECTORY "${folder}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/stoker"
          COMPONENT dev FILES_MATCHING PATTERN "*.hpp")
endforeach ()

# For users' tests; whoever includes it has Catch2.
install(DIRECTORY testing DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/stoker"
        COMPONENT dev)

# What Debian calls its Boost.
set(STOKER_BOOST "${Boost_VERSION_MAJOR}.${Boost_VERSION_MINOR}")
configure_package_config_file(cmake/StokerConfig.cmake.in StokerConfig.cmake
  INSTALL_DESTINATION "${STOKER_PACKAGE_DIR}")
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(StokerConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
    "${CMAKE_CURRENT_BINARY_DIR}/StokerConfig.cmake"
    "${CMAKE_CURRENT_BINARY_DIR}/StokerConfigVersion.cmake"
    cmake/FindCAF.cmake
    cmake/FindCTemplate.cmake
    cmake/FindPrometheusCpp.cmake
  DESTINATION "${STOKER_PACKAGE_DIR}" COMPONENT dev)
install(FILES python/stoker_barrier.py
  DESTINATION "${CMAKE_INSTALL_DATADIR}/stoker/python" COMPONENT runtime)
# The documents, below one folder as here, so that their links lead somewhere.
set(STOKER_DOC_DIR "${CMAKE_INSTALL_DATADIR}/doc/stoker")
install(FILES README.md CONTRIBUTING.md LICENSE DESTINATION "${STOKER_DOC_DIR}"
        COMPONENT runtime)
install(DIRECTORY docs DESTINATION "${STOKER_DOC_DIR}" COMPONENT runtime
        FILES_MATCHING PATTERN "*.md" PATTERN "*.json" PATTERN "*.png")

# What the program says of itself: manual pages, and completion for shells.
find_program(GZIP gzip REQUIRED)
mark_as_advanced(GZIP)
set(STOKER_MANUAL "${CMAKE_CURRENT_BINARY_DIR}/manual")
add_custom_command(OUTPUT "${STOKER_MANUAL}/written"
  COMMAND "${CMAKE_COMMAND}" -E rm -rf "${STOKER_MANUAL}"
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${STOKER_MANUAL}/man1"
  COMMAND stoker man --write "${STOKER_MANUAL}/man1"
  COMMAND "${GZIP}" -9 -n -r "${STOKER_MANUAL}/man1"
  COMMAND stoker completion bash > "${STOKER_MANUAL}/stoker"
  COMMAND stoker completion zsh > "${STOKER_MANUAL}/_stoker"
  COMMAND "${CMAKE_COMMAND}" -E touch "${STOKER_MANUAL}/written"
  DEPENDS stoker
  VERBATIM)
add_custom_target(stoker_manual ALL DEPENDS "${STOKER_MANUAL}/written")

# All that is installed, and nothing else: what tools/demo builds.
add_custom_target(stoker_product)
add_dependencies(stoker_product
  stoker stoker-barrier stoker-supervise stoker_manual ${STOKER_FOLDERS})
install(DIRECTORY "${STOKER_MANUAL}/man1" DESTINATION "${CMAKE_INSTALL_MANDIR}"
        COMPONENT runtime)
install(FILES "${STOKER_MANUAL}/stoker"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" COMPONENT runtime)
install(FILES "${STOKER_MANUAL}/_stoker"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions" COMPONENT runtime)
