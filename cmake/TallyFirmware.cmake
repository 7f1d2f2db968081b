# SPDX-License-Identifier: Apache-2.0
#
# Tally for a program without an operating system:
#
#     include(.../cmake/TallyFirmware.cmake)
#     tally_add_firmware_library(tally HEAP_BYTES 16384 ARENA_BYTES 4096)
#     target_link_libraries(program PRIVATE tally)
#
# makes a static library of format, core and the bare-metal port, freestanding,
# for whatever CMAKE_C_COMPILER builds for; include/tally/bare_metal.h says what
# the sizes are. Options of include/tally/config.h are cmake's too: y, n, or a
# number, as in -DCONFIG_ZPL_MEMORY_PROFILING_INTERVAL=100.
# CONFIG_MULTITHREADING is n unless it is set: this port has no threads. It
# leaves undefined only memchr, memcmp, memcpy, memmove and memset, and with
# HEAP_BYTES 0 the two ends of the heap.
function(tally_add_firmware_library name)
  cmake_parse_arguments(firmware "" "HEAP_BYTES;ARENA_BYTES" "" ${ARGN})
  cmake_path(GET CMAKE_CURRENT_FUNCTION_LIST_DIR PARENT_PATH root)
  set(view ${CMAKE_CURRENT_BINARY_DIR}/${name}-view)
  file(MAKE_DIRECTORY ${view})
  foreach(folder IN ITEMS format core ports)
    file(CREATE_LINK ${root}/${folder} ${view}/${folder} SYMBOLIC)
  endforeach()
  file(CREATE_LINK ${root}/ports/bare_metal ${view}/port SYMBOLIC)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${root}/format/*.c
       ${root}/core/*.c ${root}/ports/bare_metal/*.c)
  list(SORT sources)

  add_library(${name} STATIC ${sources})
  target_include_directories(
    ${name}
    PUBLIC ${root}/include
    PRIVATE ${view})
  target_compile_options(
    ${name}
    PUBLIC -ffreestanding
    PRIVATE -std=gnu17 -ffunction-sections -fdata-sections -Wall -Wextra
            -fmacro-prefix-map=${root}/=)
  foreach(option IN ITEMS HEAP_BYTES ARENA_BYTES)
    if(DEFINED firmware_${option})
      target_compile_definitions(${name}
                                 PRIVATE TALLY_${option}=${firmware_${option}})
    endif()
  endforeach()
  if(NOT DEFINED CONFIG_MULTITHREADING)
    target_compile_definitions(${name} PUBLIC CONFIG_MULTITHREADING=n)
  endif()
  get_cmake_property(variables CACHE_VARIABLES)
  list(FILTER variables INCLUDE REGEX "^CONFIG_")
  foreach(variable IN LISTS variables)
    target_compile_definitions(${name} PUBLIC ${variable}=${${variable}})
  endforeach()
endfunction()
