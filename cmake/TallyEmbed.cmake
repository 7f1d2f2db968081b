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

# tally_bundle(VARIABLE FOLDER HEADER) bundles FOLDER/main.js and main.css with
# all that they import, d3 from Debian's node-d3, into C sources that define
# `VARIABLE_script` and `VARIABLE_style`, and puts their paths into VARIABLE.
find_program(TALLY_ESBUILD esbuild REQUIRED)
function(tally_bundle variable folder header)
  set(sources)
  file(GLOB parts CONFIGURE_DEPENDS ${folder}/*.js ${folder}/*.css)
  foreach(kind IN ITEMS script:js style:css)
    string(REPLACE ":" ";" kind ${kind})
    list(GET kind 0 text)
    list(GET kind 1 suffix)
    set(bundle ${CMAKE_CURRENT_BINARY_DIR}/${variable}.${suffix})
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${variable}_${text}.c)
    add_custom_command(
      OUTPUT ${source}
      COMMAND
        ${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs ${TALLY_ESBUILD}
        ${folder}/main.${suffix} --bundle --minify --charset=ascii
        "--banner:${suffix}=/* With parts of d3, Copyright Mike Bostock, ISC */"
        --target=chrome110,firefox115,safari16.4
        --log-level=warning --outfile=${bundle}
      COMMAND ${CMAKE_COMMAND} -DNAME=${variable}_${text} -DFILE=${bundle}
              -DHEADER=${header} -DSOURCE=${source} -P
              ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
      DEPENDS ${parts} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
      COMMENT "Bundling ${variable}.${suffix}"
      VERBATIM)
    list(APPEND sources ${source})
  endforeach()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()
