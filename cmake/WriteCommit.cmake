# cmake -DSOURCE=FOLDER -DOUTPUT=FILE.cpp [-DCOMMIT=TEXT] -P WriteCommit.cmake
#
# Writes the source that names the commit of the sources for --version. It runs
# in every build and writes only a text that changed, so that a build compiles
# one file and links again after a commit. Without git, or outside a checkout,
# the commit is empty; COMMIT names one that is known otherwise.
if(NOT COMMIT)
  find_program(GIT git)
  if(GIT AND EXISTS ${SOURCE}/.git)
    set(ENV{GIT_OPTIONAL_LOCKS} 0)
    execute_process(
      COMMAND ${GIT} -C ${SOURCE} describe --always --exclude=* --abbrev=12
              --dirty
      OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
set(text "#include \"attnc/Support/Version.h\"

llvm::StringRef attnc::getCommit() { return \"${COMMIT}\"; }
")
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "${text}" @ONLY)
