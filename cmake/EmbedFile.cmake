# cmake -DINPUT=FILE -DOUTPUT=FILE.inc -P EmbedFile.cmake
#
# Writes the bytes of INPUT, text or not, for the initialiser of an array of char.
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes
       "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
file(WRITE ${OUTPUT} "${bytes}\n")
