# SPDX-License-Identifier: Apache-2.0
#
# Writes SOURCE, C that defines `const char NAME[]` with the content of FILE,
# and with HASH `NAME_hash[]`, its SHA-256 in the form of a content security
# policy; HEADER declares both. Included, or run with cmake -P.
file(READ ${FILE} content HEX)
string(REGEX REPLACE "(................................)" "\\1\n" content
                     "${content}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," content "${content}")
set(text)
if(HASH)
  set(letters ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  file(SHA256 ${FILE} digits)
  foreach(at RANGE 0 60 6) # 33 bytes are 44 letters, of which the last is none
    string(SUBSTRING ${digits}00 ${at} 6 word)
    foreach(shift IN ITEMS 18 12 6 0)
      math(EXPR letter "(0x${word} >> ${shift}) & 63")
      string(SUBSTRING ${letters} ${letter} 1 letter)
      string(APPEND text ${letter})
    endforeach()
  endforeach()
  string(REGEX REPLACE ".$" "=" text ${text})
  set(text "const char ${NAME}_hash[] = \"sha256-${text}\";\n")
endif()
file(CONFIGURE OUTPUT ${SOURCE} CONTENT
     "#include \"${HEADER}\"\n
const char ${NAME}[] = {\n${content}0};\n${text}")
