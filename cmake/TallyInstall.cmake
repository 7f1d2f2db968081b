# SPDX-License-Identifier: Apache-2.0
#
# What `make install` lays out. Nothing in it names the prefix, so a tree that
# was installed may be moved as a whole.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tally)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

file(RELATIVE_PATH TALLY_PC_PREFIX /${pkgconfig_dir} /)
string(REGEX REPLACE "/$" "" TALLY_PC_PREFIX ${TALLY_PC_PREFIX})

set(libraries tally_shared tally_static tally_trace)
set(TALLY_PC_FILES tally tally-trace)
list(JOIN TALLY_TRACE_OPTIONS " " TALLY_TRACE_FLAGS)
set_target_properties(tally_trace PROPERTIES EXPORT_NAME trace)
set_target_properties(tally_shared PROPERTIES EXPORT_NAME tally)
target_include_directories(
  tally_shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_include_directories(
  tally_static INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_definitions(tally_shared INTERFACE ${TALLY_CONFIG_DEFINITIONS})
target_compile_definitions(tally_static INTERFACE ${TALLY_CONFIG_DEFINITIONS})
if(TARGET tally_record)
  list(APPEND TALLY_PC_FILES tally-record)
  set_target_properties(tally_record PROPERTIES EXPORT_NAME record)
endif()
if(TARGET tally)
  install(TARGETS tally RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${PROJECT_SOURCE_DIR}/tool/model/names/fold.list
          DESTINATION ${CMAKE_INSTALL_DATADIR}/tally)
  foreach(place IN ITEMS bash=bash-completion/completions/tally
      zsh=zsh/site-functions/_tally fish=fish/vendor_completions.d/tally.fish)
    string(REGEX REPLACE "=.*" "" shell ${place})
    get_filename_component(folder ${place} DIRECTORY)
    string(REGEX REPLACE ".*=" "" folder ${folder})
    get_filename_component(name ${place} NAME)
    install(
      FILES ${PROJECT_SOURCE_DIR}/tool/commands/completion/tally.${shell}
      DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder}
      RENAME ${name})
  endforeach()
endif()

install(
  TARGETS ${libraries}
  EXPORT TallyTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# The command looks for it in ../lib, also where other libraries lie below that.
if(TARGET tally_record)
  install(TARGETS tally_record EXPORT TallyTargets LIBRARY DESTINATION lib)
endif()
install(
  DIRECTORY ${PROJECT_SOURCE_DIR}/include/tally
            ${PROJECT_SOURCE_DIR}/include/compat
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING
  PATTERN "*.h")

foreach(name IN LISTS TALLY_PC_FILES)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in
                 ${CMAKE_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${pkgconfig_dir})
endforeach()

install(
  EXPORT TallyTargets
  NAMESPACE Tally::
  DESTINATION ${package_dir})
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/TallyConfig.cmake.in
  ${CMAKE_BINARY_DIR}/TallyConfig.cmake
  INSTALL_DESTINATION ${package_dir}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(
  ${CMAKE_BINARY_DIR}/TallyConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/TallyConfig.cmake
              ${CMAKE_BINARY_DIR}/TallyConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/TallyTrace.cmake
        DESTINATION ${package_dir})

file(GLOB man_pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.1)
install(FILES ${man_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
# As they lie in here, so that their links lead there, too.
set(documents ${CMAKE_INSTALL_DATADIR}/doc/tally)
install(
  FILES ${PROJECT_SOURCE_DIR}/README.md
        ${PROJECT_SOURCE_DIR}/ARCHITECTURE.md
        ${PROJECT_SOURCE_DIR}/CHANGELOG.md
        ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md
        ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${documents})
install(
  DIRECTORY ${PROJECT_SOURCE_DIR}/docs
  DESTINATION ${documents}
  FILES_MATCHING
  PATTERN "*.md"
  PATTERN "*.png"
  PATTERN "*.svg"
  PATTERN "*.webp"
  PATTERN "*.schema.json"
  PATTERN "*.rules.yml"
  PATTERN "man" EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${documents})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/packaging/systemd
                  ${PROJECT_SOURCE_DIR}/packaging/container
        DESTINATION ${documents}/packaging)
