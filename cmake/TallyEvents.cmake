# SPDX-License-Identifier: Apache-2.0
#
# tally_events(VARIABLE NAME ONE ALL TWO FIVE THREE FOUR) makes a C source in
# the build tree with the events of these TSDL files, and puts its path into
# VARIABLE. NAME[] has the tables of layouts 1 to 5, which are ranges of one
# array: the events of ONE and ALL; and from ALL on, up to the layout's own.
# An index finds events by their stream and id; one has layouts 2, 3 and 5, and
# that of layout 4 leaves out those of FIVE and THREE.
#
# The files have one statement a line. The compiler refuses types of fields that
# the source does not define.
function(tally_events variable name)
  set(fields)
  set(events)
  set(ends)
  set(index_one)
  set(index_more)
  set(index_four)
  set(event_count 0)
  set(field_count 0)
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} lines)
    string(REGEX REPLACE "[];[]" " " lines "${lines}") # signs of lists
    string(REPLACE "\n" ";" lines "${lines}")
    foreach(line IN LISTS lines)
      if(line MATCHES "^name = \"(.+)\"")
        set(event ${CMAKE_MATCH_1})
      elseif(line MATCHES "^id = ([0-9]+)")
        set(id ${CMAKE_MATCH_1})
        set(stream 0)
      elseif(line MATCHES "^stream_id = ([0-9]+)")
        set(stream ${CMAKE_MATCH_1})
      elseif(line STREQUAL "fields := struct {")
        set(names)
      elseif(line MATCHES "^\t([a-z0-9_]+) ([a-z0-9_]+) ([a-z0-9_]*)")
        set(more .count=1)
        if(CMAKE_MATCH_3 IN_LIST names)
          list(FIND names ${CMAKE_MATCH_3} index)
          string(APPEND more ", .length_of=1+${index}")
        elseif(CMAKE_MATCH_3)
          set(more .count=${CMAKE_MATCH_3})
        endif()
        list(APPEND names ${CMAKE_MATCH_2})
        string(APPEND fields "    { TEXT(${CMAKE_MATCH_2}), "
                             "TYPE_${CMAKE_MATCH_1}, ${more} },\n")
      elseif(line STREQUAL "} " AND event)
        list(LENGTH names count)
        string(APPEND events "    { ${id}, ${stream}, ${field_count}, "
                             "${count}, TEXT(${event}) },\n")
        math(EXPR event_count "${event_count} + 1")
        list(LENGTH ends file)
        if(file LESS 2)
          string(APPEND index_one "    [KEY(${id}, ${stream})] = "
                                  "${event_count},\n")
        endif()
        if(file EQUAL 1 OR file EQUAL 2 OR file EQUAL 5)
          string(APPEND index_four "    [KEY(${id}, ${stream})] = "
                                   "${event_count} - ${first},\n")
        endif()
        if(file GREATER 0 AND file LESS 5)
          string(APPEND index_more "    [KEY(${id}, ${stream})] = "
                                   "${event_count} - ${first},\n")
        endif()
        math(EXPR field_count "${field_count} + ${count}")
        set(event)
      endif()
    endforeach()
    list(APPEND ends ${event_count})
    list(GET ends 0 first)
  endforeach()
  list(GET ends 1 one)
  list(GET ends 2 two)
  list(GET ends 3 five)
  list(GET ends 4 three)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.c)
  file(CONFIGURE OUTPUT ${source} CONTENT
"#include \"format/ctf/ctf_input.h\"

#define TEXT(word) { #word, sizeof #word - 1 }

#define VALUE(size, kind) .bytes = size, .value = TSDL_##kind
#define TYPE_uint8_t  VALUE(1, UNSIGNED)
#define TYPE_uint16_t VALUE(2, UNSIGNED)
#define TYPE_uint32_t VALUE(4, UNSIGNED)
#define TYPE_uint64_t VALUE(8, UNSIGNED)
#define TYPE_int8_t   VALUE(1, SIGNED)
#define TYPE_int32_t  VALUE(4, SIGNED)
#define TYPE_float32  VALUE(4, FLOAT)
#define TYPE_ctf_bounded_string_t VALUE(1, LETTER)

static const struct ctf_field fields[] = {
${fields}};

static const struct ctf_event events[] = {
${events}};

#define KEY(id, stream) (stream) * CTF_KEYS + (id)
static const uint16_t index_one[2 * CTF_KEYS] = {
${index_one}};

static const uint16_t index_more[2 * CTF_KEYS] = {
${index_more}};

static const uint16_t index_four[2 * CTF_KEYS] = {
${index_four}};

#define MORE(end, index) { end - ${first}, events + ${first}, fields, index }
const struct ctf_events ${name}[] = {
    { 0 },
    { ${one}, events, fields, index_one },
    MORE(${two}, index_more),
    MORE(${three}, index_more),
    MORE(${event_count}, index_four),
    MORE(${five}, index_more),
};
")
  set(${variable} ${source} PARENT_SCOPE)
endfunction()
