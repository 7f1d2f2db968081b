# SPDX-License-Identifier: Apache-2.0
#
# tally_embed(VARIABLE FILE NAME HEADER) makes a C source in the build tree that
# defines `const char NAME[]` with the content of FILE, and puts its path into
# VARIABLE. HEADER declares it.
function(tally_embed variable file name header)
  set(FILE ${file})
  set(NAME ${name})
  set(HEADER ${header})
  set(SOURCE ${CMAKE_CURRENT_BINARY_DIR}/${name}.c)
  include(${PROJECT_SOURCE_DIR}/cmake/embed.cmake)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  set(${variable} ${SOURCE} PARENT_SCOPE)
endfunction()

# tally_bundle(VARIABLE FILE HEADER [OPTION...]) bundles FILE, a script or a
# style sheet, with all that it imports, d3 from Debian's node-d3, into a C
# source that defines `VARIABLE` and `VARIABLE_hash`, and puts its path into
# VARIABLE. Options are esbuild's.
function(tally_bundle variable file header)
  get_filename_component(folder ${file} DIRECTORY)
  get_filename_component(suffix ${file} EXT)
  file(GLOB_RECURSE parts CONFIGURE_DEPENDS ${folder}/*${suffix})
  set(bundle ${CMAKE_CURRENT_BINARY_DIR}/${variable}${suffix})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${variable}.c)
  add_custom_command(
    OUTPUT ${source}
    COMMAND
      ${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs ${TALLY_ESBUILD}
      ${file} --bundle --charset=ascii
      --target=chrome110,firefox115,safari16.4 --log-level=warning
      --outfile=${bundle} ${ARGN}
    COMMAND ${CMAKE_COMMAND} -DNAME=${variable} -DFILE=${bundle}
            -DHEADER=${header}
            -DHASH=ON -DSOURCE=${source}
            -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${parts} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    COMMENT "Bundling ${variable}${suffix}"
    VERBATIM)
  set(${variable} ${source} PARENT_SCOPE)
endfunction()
