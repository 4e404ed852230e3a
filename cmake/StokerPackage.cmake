# Debian packages, by `cpack` in the build folder: `stoker` for those who run a cluster,
# `stoker-dev` for those who write programs with it.

# What only the package brings: an installation below another prefix leaves the system as it
# is.
set(STOKER_OF_PACKAGE COMPONENT runtime EXCLUDE_FROM_ALL)
install(FILES packaging/systemd/stoker-master.service packaging/systemd/stoker-worker@.service
  DESTINATION /lib/systemd/system ${STOKER_OF_PACKAGE})
install(FILES packaging/etc/master.toml packaging/etc/worker.toml packaging/etc/worker.env
  DESTINATION /etc/stoker ${STOKER_OF_PACKAGE})
# The changelog, as Debian's policy wants it. Its first entry is this version's.
set(STOKER_RELEASE 1)
set(STOKER_CHANGELOG "${CMAKE_CURRENT_BINARY_DIR}/changelog.Debian.gz")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS packaging/debian/changelog)
execute_process(
  COMMAND "${GZIP}" -9 -n -c "${CMAKE_CURRENT_SOURCE_DIR}/packaging/debian/changelog"
  OUTPUT_FILE "${STOKER_CHANGELOG}" COMMAND_ERROR_IS_FATAL ANY)
file(STRINGS packaging/debian/changelog STOKER_CHANGES)
list(GET STOKER_CHANGES 0 STOKER_NEWEST_CHANGE)
if (NOT STOKER_NEWEST_CHANGE MATCHES "^stoker \\(${PROJECT_VERSION}-${STOKER_RELEASE}\\) ")
  message(FATAL_ERROR "packaging/debian/changelog says nothing of version "
                      "${PROJECT_VERSION}-${STOKER_RELEASE}")
endif ()
list(FILTER STOKER_CHANGES INCLUDE REGEX "^ -- .*>  ")
list(GET STOKER_CHANGES 0 STOKER_MAINTAINER)
string(REGEX REPLACE "^ -- (.*>)  .*" "\\1" STOKER_MAINTAINER "${STOKER_MAINTAINER}")
install(FILES packaging/debian/copyright "${STOKER_CHANGELOG}"
  DESTINATION /usr/share/doc/stoker ${STOKER_OF_PACKAGE})
install(FILES packaging/debian/copyright "${STOKER_CHANGELOG}"
  DESTINATION /usr/share/doc/stoker-dev COMPONENT dev EXCLUDE_FROM_ALL)
install(FILES
    examples/tenants.toml
    examples/monitoring/alerts.yml
    examples/monitoring/alerts_test.yml
    examples/monitoring/grafana.json
    examples/wordcount/wordcount.json
    packaging/container/Containerfile
    packaging/container/compose.yml
    packaging/journald/journald@stoker.conf
  DESTINATION /usr/share/doc/stoker/examples ${STOKER_OF_PACKAGE})
install(FILES packaging/logrotate/stoker RENAME logrotate
  DESTINATION /usr/share/doc/stoker/examples ${STOKER_OF_PACKAGE})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME stoker)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "cluster master that shares machines")
set(CPACK_PACKAGE_CONTACT "${STOKER_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_RELEASE ${STOKER_RELEASE})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/packages")
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_SOURCE_DIR}/cmake/StokerPackageRights.cmake")
set(CPACK_COMPONENTS_ALL runtime dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME stoker)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS adduser)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION
"Stoker shares machines between the programs of several people. It finds a
machine with cores and memory for a program, starts it there, brings its output
back, starts it again when a machine is lost, and ends whatever it started.

Nothing starts by itself: a machine may have a master, workers, or only users.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA
    "${CMAKE_CURRENT_SOURCE_DIR}/packaging/debian/postinst"
    "${CMAKE_CURRENT_SOURCE_DIR}/packaging/debian/prerm"
    "${CMAKE_CURRENT_SOURCE_DIR}/packaging/debian/postrm"
    "${CMAKE_CURRENT_SOURCE_DIR}/packaging/debian/conffiles")

# Static libraries: whoever links them needs what they were compiled with.
set(CPACK_DEBIAN_DEV_PACKAGE_NAME stoker-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
string(CONCAT CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
  "stoker (= ${PROJECT_VERSION}-${STOKER_RELEASE}), libboost${STOKER_BOOST}-dev, "
  "libboost-json${STOKER_BOOST}-dev, libcaf-dev, libspdlog-dev, libsqlite3-dev, "
  "libsqlitecpp-dev, libssl-dev, libctemplate-dev, prometheus-cpp-dev, "
  "zlib1g-dev")
set(CPACK_DEBIAN_DEV_DESCRIPTION
"This package has headers, static libraries and the CMake package Stoker, for
programs that have a cluster or an application of their own inside.")

include(CPack)
