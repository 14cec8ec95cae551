# The Halide backend needs the library of Halide's Python wheel, which
# scripts/setup-halide unpacks. Without it attnc is built, and passes its tests,
# without this backend: --backend=halide then says so.
option(ATTNC_ENABLE_HALIDE "Build the Halide backend if Halide is found" ON)
set(ATTNC_HALIDE_ROOT "" CACHE PATH
    "Folder with Halide's include/ and lib64/; empty: where scripts/setup-halide puts it")

set(ATTNC_HAS_HALIDE FALSE)
if(ATTNC_ENABLE_HALIDE)
  find_path(ATTNC_HALIDE_INCLUDE Halide.h NO_DEFAULT_PATH
    PATHS ${ATTNC_HALIDE_ROOT}/include
          $ENV{XDG_CACHE_HOME}/attnc/halide-21.0.0/halide/include
          $ENV{HOME}/.cache/attnc/halide-21.0.0/halide/include)
  find_library(ATTNC_HALIDE_LIBRARY Halide NO_DEFAULT_PATH
    PATHS ${ATTNC_HALIDE_INCLUDE}/../lib64)
  if(ATTNC_HALIDE_INCLUDE AND ATTNC_HALIDE_LIBRARY)
    set(ATTNC_HAS_HALIDE TRUE)
  endif()
endif()
if(ATTNC_HAS_HALIDE)
  message(STATUS "Halide backend: ${ATTNC_HALIDE_LIBRARY}")
elseif(ATTNC_ENABLE_HALIDE)
  message(STATUS "Halide backend: off, Halide was not found (run "
                 "scripts/setup-halide, or set ATTNC_HALIDE_ROOT)")
else()
  message(STATUS "Halide backend: off (ATTNC_ENABLE_HALIDE)")
endif()
