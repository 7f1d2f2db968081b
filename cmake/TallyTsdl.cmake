# SPDX-License-Identifier: Apache-2.0
#
# tally_tsdl(VARIABLE NAME FILE...) makes a C source in the build tree that
# defines `const struct ctf_events NAME`, the table of the events in the TSDL
# files, and appends its path to VARIABLE. Names point into the table.
#
# The files have one statement a line, and only the types below.
set(tally_tsdl_uint8_t UNSIGNED 1)
set(tally_tsdl_uint16_t UNSIGNED 2)
set(tally_tsdl_uint32_t UNSIGNED 4)
set(tally_tsdl_uint64_t UNSIGNED 8)
set(tally_tsdl_int8_t SIGNED 1)
set(tally_tsdl_int32_t SIGNED 4)
set(tally_tsdl_ctf_bounded_string_t LETTER 1)
set(tally_tsdl_float32 FLOAT 4)

function(tally_tsdl variable name)
  set(items)
  set(fields)
  set(index)
  set(events 0)
  set(count 0)
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    string(REPLACE ";" "" text "${text}")
    string(REPLACE "[" " " text "${text}")
    string(REPLACE "]" "" text "${text}")
    string(REPLACE "\n" ";" lines "${text}")
    foreach(line IN LISTS lines)
      if(line MATCHES "^name = \"(.*)\"")
        set(event ${CMAKE_MATCH_1})
        set(first ${count})
        set(bytes 0)
      elseif(line MATCHES "^id = ([0-9]+)")
        set(id ${CMAKE_MATCH_1})
      elseif(line MATCHES "^\t([a-z0-9_]+) ([a-z0-9_]+) ?([a-z0-9_]*)$")
        set(field ${CMAKE_MATCH_2})
        set(length "${CMAKE_MATCH_3}")
        list(GET tally_tsdl_${CMAKE_MATCH_1} 0 value)
        list(GET tally_tsdl_${CMAKE_MATCH_1} 1 size)
        math(EXPR place_${field} "${count} - ${first} + 1")
        set(length_of 0)
        if(length STREQUAL "")
          set(length 1)
        elseif(NOT length MATCHES "^[0-9]+$")
          set(length_of ${place_${length}})
          set(length 1)
          set(bytes CTF_EVENT_VARIES)
        endif()
        if(NOT bytes STREQUAL CTF_EVENT_VARIES)
          math(EXPR bytes "${bytes} + ${size} * ${length}")
        endif()
        string(LENGTH ${field} letters)
        string(APPEND fields
               "{ { \"${field}\", ${letters} }, ${size}, ${length}, "
               "TSDL_${value}, ${length_of} },\n")
        math(EXPR count "${count} + 1")
      elseif(line STREQUAL "}" AND DEFINED id)
        math(EXPR number "${count} - ${first}")
        math(EXPR events "${events} + 1")
        string(LENGTH ${event} letters)
        string(APPEND items
               "{ ${id}, ${first}, ${number}, ${bytes}, "
               "{ \"${event}\", ${letters} } },\n")
        string(APPEND index "[${id}] = ${events},\n")
        unset(id)
      endif()
    endforeach()
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.c)
  file(CONFIGURE OUTPUT ${source} CONTENT
       "#include \"format/ctf/ctf_input.h\"\n
const struct ctf_events ${name} = {
.count = ${events}, .field_count = ${count},
.items = {\n${items}},\n.fields = {\n${fields}},\n.by_id = {\n${index}},\n};\n")
  set(${variable} ${${variable}} ${source} PARENT_SCOPE)
endfunction()
