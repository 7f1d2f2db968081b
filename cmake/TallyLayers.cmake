# SPDX-License-Identifier: Apache-2.0
#
# Layering by include directories. Sources write includes from the root of the
# repository ("core/accounts/site_table.h"), but no target has the root on its
# include path. Instead each folder has a view, a directory with one symbolic
# link to it, and a target is given the views of the folders that it may use:
#
#     build/views/format/format -> format/
#
# So a target cannot include what it may not know; scripts/check-layers says the
# same in words, and more finely inside tool/.

foreach(folder IN ITEMS format core sampling ports unwind ledger linked recorder
                         wrapped tool tests bench)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/views/${folder})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder}
       ${CMAKE_BINARY_DIR}/views/${folder}/${folder} SYMBOLIC)
endforeach()

# What core includes of the platform's port, as "port/words.h".
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/views/port
     ${CMAKE_BINARY_DIR}/views/bare_metal)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/ports/posix
     ${CMAKE_BINARY_DIR}/views/port/port SYMBOLIC)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/ports/bare_metal
     ${CMAKE_BINARY_DIR}/views/bare_metal/port SYMBOLIC)

# Let `target` see include/tally and the named folders, itself included.
function(tally_may_include target)
  set(directories ${PROJECT_SOURCE_DIR}/include)
  foreach(folder IN LISTS ARGN)
    list(APPEND directories ${CMAKE_BINARY_DIR}/views/${folder})
  endforeach()
  target_include_directories(${target} PRIVATE ${directories})
  target_compile_options(${target} PRIVATE ${TALLY_WARNINGS})
endfunction()

# A static library of the .c files of this folder, for the tests and for the
# products above it, and its objects as NAME_objects. A folder that has no
# sources yet gives an empty library.
function(tally_layer name)
  cmake_parse_arguments(layer "" "" "SOURCES;SEES" ${ARGN})
  if(NOT layer_SOURCES)
    set(empty ${CMAKE_BINARY_DIR}/empty/${name}.c)
    file(WRITE ${empty} "typedef int ${name}_is_empty;\n")
    set(layer_SOURCES ${empty})
  endif()
  add_library(${name}_objects OBJECT ${layer_SOURCES})
  tally_may_include(${name}_objects ${layer_SEES})
  # What lies in the library is no tag of the program's.
  target_compile_definitions(${name}_objects
                             PRIVATE TALLY_WITHOUT_TAG_OBJECT=)
  add_library(${name} STATIC $<TARGET_OBJECTS:${name}_objects>)
endfunction()
