# cmake -DINPUT=FILE.s -DOUTPUT=FILE.s -P EntryAssembly.cmake
#
# Makes the compiler's assembly of the entry fit to be a part of another file:
# its labels cannot meet those of the file, its functions are local and their
# names hold a dot, which no name of C has, and nothing is said about the file.
file(READ ${INPUT} text)
string(PREPEND text "\n")
string(REGEX REPLACE "\\.__uniq\\.[0-9]+" ".attnc_entry" text "${text}")
string(REGEX REPLACE "\\.L([A-Za-z.])" ".Lattnc_entry_\\1" text "${text}")
string(REGEX REPLACE "\n[ \t]+\\.(file|ident|addrsig|addrsig_sym|attribute|globl|hidden)[^\n]*"
       "" text "${text}")
string(REGEX REPLACE "\n[ \t]+\\.section[ \t]+\"\\.note\\.GNU-stack\"[^\n]*" ""
       text "${text}")
# In a section of mergeable strings each string would be a symbol of the object.
string(REGEX REPLACE "\\.section[ \t]+\\.rodata\\.str[^\n]*"
       ".section\t.rodata,\"a\",@progbits" text "${text}")
# Calls of cold functions in a section of their own would need relocations.
string(REGEX REPLACE "\\.section[ \t]+\\.text\\.unlikely[^\n]*" ".text"
       text "${text}")
string(REGEX REPLACE "\n[ \t]*(#|//)(APP|NO_APP)[^\n]*" "" text "${text}")
string(REGEX REPLACE "\n\n+" "\n" text "${text}")
file(WRITE ${OUTPUT} "${text}")
