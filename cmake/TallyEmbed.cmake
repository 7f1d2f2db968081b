# SPDX-License-Identifier: Apache-2.0
#
# tally_embed(VARIABLE FILE NAME HEADER) makes a C source in the build tree that
# defines `const char NAME[]` with the content of FILE, and puts its path into
# VARIABLE. HEADER declares it.
function(tally_embed variable file name header)
  file(READ ${file} content HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" content
                       "${content}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," content "${content}")
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.c)
  file(CONFIGURE OUTPUT ${source} CONTENT
       "#include \"${header}\"\n\nconst char ${name}[] = {\n${content}0};\n")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  set(${variable} ${source} PARENT_SCOPE)
endfunction()
