# SPDX-License-Identifier: Apache-2.0
#
# Writes SOURCE, C that defines `const char NAME[]` with the content of FILE;
# HEADER declares it. Included, or run with cmake -P.
file(READ ${FILE} content HEX)
string(REGEX REPLACE "(................................)" "\\1\n" content
                     "${content}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," content "${content}")
file(CONFIGURE OUTPUT ${SOURCE} CONTENT
     "#include \"${HEADER}\"\n\nconst char ${NAME}[] = {\n${content}0};\n")
