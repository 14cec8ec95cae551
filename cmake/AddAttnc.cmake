# The functions of the build, each used once per folder:
#
#   attnc_library(AttncFusion
#     SRCS FuseMask.cpp FuseScale.cpp
#     DEPS AttncDialectAttn AttncAnalysis    # ours, as lib/layers.txt allows
#     MLIR MLIRPass MLIRTransformUtils)      # upstream's
#   attnc_dialect(Attn OPS TYPES ATTRS ENUMS ATTR_INTERFACES)
#   attnc_passes(Fusion)
#   attnc_tool(attnc-opt SRCS attnc-opt.cpp DEPS ... MLIR ...)
#   attnc_unittest(Spec SRCS ParseTest.cpp DEPS AttncSpec)
#
# Every list of sources is explicit; tools/dev/check_cmake.py finds a forgotten
# file.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 99)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_SKIP_BUILD_RPATH OFF)

# mlir_tablegen reads the directory's include paths, so these stay directory
# wide. The headers that mlir-tblgen writes are SYSTEM: they hold hundreds of
# unused parameters.
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS}
                    ${PROJECT_BINARY_DIR}/include)
include_directories(${PROJECT_SOURCE_DIR}/include)
separate_arguments(attnc_llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
add_definitions(${attnc_llvm_definitions})

add_compile_options(-Wall -Wextra -fdiagnostics-color=always
                    $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
if(ATTNC_WERROR)
  add_compile_options(-Werror)
endif()
add_link_options(-fuse-ld=lld -Wl,--gc-sections)
add_compile_options(-ffunction-sections -fdata-sections)
if(ATTNC_SANITIZE)
  add_compile_options(-fsanitize=${ATTNC_SANITIZE} -fno-sanitize=vptr,function
                      -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ATTNC_SANITIZE})
endif()

find_program(ATTNC_CCACHE_PROGRAM ccache)
if(ATTNC_CCACHE AND ATTNC_CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # A precompiled header is cached only when ccache is told that its macros and
  # times do not matter.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${ATTNC_CCACHE_PROGRAM})
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Xclang$<SEMICOLON>-fno-pch-timestamp>)
endif()

# One precompiled header for every C++ target: a pass compiles in a third of
# the time. It holds upstream headers only, so it is built once.
if(ATTNC_PCH)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/AttncPch.cpp CONTENT "")
  add_library(AttncPch OBJECT ${PROJECT_BINARY_DIR}/AttncPch.cpp)
  target_precompile_headers(AttncPch PRIVATE
    <mlir/Bytecode/BytecodeOpInterface.h>
    <mlir/Dialect/Arith/IR/Arith.h>
    <mlir/Dialect/Func/IR/FuncOps.h>
    <mlir/Dialect/LLVMIR/LLVMDialect.h>
    <mlir/Dialect/SCF/IR/SCF.h>
    <mlir/Dialect/Vector/IR/VectorOps.h>
    <mlir/IR/BuiltinOps.h>
    <mlir/IR/Diagnostics.h>
    <mlir/IR/OpImplementation.h>
    <mlir/IR/PatternMatch.h>
    <mlir/Interfaces/SideEffectInterfaces.h>
    <mlir/Pass/Pass.h>
    <mlir/Transforms/GreedyPatternRewriteDriver.h>)
endif()

# The dump() methods of the header are kept in every object file that uses it,
# hence MLIRIR everywhere.
function(attnc_target_defaults name)
  if(ATTNC_PCH)
    target_precompile_headers(${name} REUSE_FROM AttncPch)
  endif()
endfunction()

# Reads the libraries in order from lib/layers.txt into ATTNC_LAYERS.
function(attnc_read_layers)
  set(file ${PROJECT_SOURCE_DIR}/lib/layers.txt)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(STRINGS ${file} lines REGEX "^[A-Z][A-Za-z/]*:")
  list(TRANSFORM lines REPLACE ":.*" "")
  set(ATTNC_LAYERS ${lines} PARENT_SCOPE)
endfunction()

# A static library of one folder and its subfolders, whose private headers are
# included by their paths from that folder. `AttncX` waits for the generated headers of
# its own `AttncXIncGen`, if there is one, and of those of its DEPS.
function(attnc_library name)
  cmake_parse_arguments(A "" "" "SRCS;TD;DEPS;MLIR" ${ARGN})
  attnc_check_arguments(${name} "${A_UNPARSED_ARGUMENTS}")
  add_library(${name} STATIC ${A_SRCS})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${A_DEPS} ${A_MLIR} MLIRIR LLVM)
  if(TARGET ${name}IncGen)
    add_dependencies(${name} ${name}IncGen)
  endif()
  if(A_TD)
    add_dependencies(${name} ${A_TD})
  endif()
  attnc_target_defaults(${name})
endfunction()

# An executable in build/bin.
function(attnc_tool name)
  cmake_parse_arguments(A "" "" "SRCS;DEPS;MLIR" ${ARGN})
  attnc_check_arguments(${name} "${A_UNPARSED_ARGUMENTS}")
  add_executable(${name} ${A_SRCS})
  target_link_libraries(${name} PRIVATE ${A_DEPS} ${A_MLIR} MLIRIR LLVM)
  attnc_target_defaults(${name})
endfunction()

# In include/attnc/Dialect/<Name>: generates from <Name>Dialect.td and from
# each of <Name>{Ops,Types,Attrs,Enums,Interfaces}.td that is asked for the
# files <Name>Xxx.{h,cpp}.inc, in the target AttncDialect<Name>IncGen. (The
# types' and the attributes' files generate what they define themselves and
# what they include, so keep types and attributes in separate files.)
# The dialect's class is attnc::<name>::<Name>Dialect, its header
# attnc/Dialect/<Name>/<Name>.h; attnc-opt registers it by itself.
function(attnc_dialect name)
  cmake_parse_arguments(A "OPS;TYPES;ATTRS;ENUMS;ATTR_INTERFACES" "" "" ${ARGN})
  attnc_check_arguments(${name} "${A_UNPARSED_ARGUMENTS}")
  string(TOLOWER ${name} dialect)
  set(LLVM_TARGET_DEFINITIONS ${name}Dialect.td)
  mlir_tablegen(${name}Dialect.h.inc -gen-dialect-decls -dialect=${dialect})
  mlir_tablegen(${name}Dialect.cpp.inc -gen-dialect-defs -dialect=${dialect})
  foreach(kind OPS:Ops:op TYPES:Types:typedef ATTRS:Attrs:attrdef
          ENUMS:Enums:enum ATTR_INTERFACES:AttrInterfaces:attr-interface)
    string(REPLACE ":" ";" kind ${kind})
    list(GET kind 0 asked)
    list(GET kind 1 part)
    list(GET kind 2 generator)
    if(NOT A_${asked})
      continue()
    endif()
    set(LLVM_TARGET_DEFINITIONS ${name}${part}.td)
    if(generator MATCHES "def$")
      set(only -${generator}s-dialect=${dialect})
    else()
      set(only "")
    endif()
    mlir_tablegen(${name}${part}.h.inc -gen-${generator}-decls ${only})
    mlir_tablegen(${name}${part}.cpp.inc -gen-${generator}-defs ${only})
  endforeach()
  add_public_tablegen_target(AttncDialect${name}IncGen)
  set_property(GLOBAL APPEND PROPERTY ATTNC_REGISTERED_HEADERS
               attnc/Dialect/${name}/${name}.h)
  set_property(GLOBAL APPEND PROPERTY ATTNC_REGISTERED
               "ATTNC_DIALECT(attnc::${dialect}::${name}Dialect)")
  set_property(GLOBAL APPEND PROPERTY ATTNC_REGISTERED_LIBRARIES
               AttncDialect${name})
  if(A_OPS)
    set(LLVM_TARGET_DEFINITIONS ${name}Ops.td)
  else()
    set(LLVM_TARGET_DEFINITIONS ${name}Dialect.td)
  endif()
  attnc_doc(dialects/${dialect}.md -gen-dialect-doc -dialect=${dialect})
endfunction()

# In include/attnc/<Folder>: generates Passes.h.inc from Passes.td. <Name> is
# the folder without slashes; the passes' namespace is its last part in lower
# case (attnc::fusion, attnc::cpu) unless NAMESPACE names another. Passes.h of
# the folder defines GEN_PASS_REGISTRATION in that namespace; attnc-opt calls
# the register<Name>Passes() that this gives.
function(attnc_passes name)
  cmake_parse_arguments(A "" "NAMESPACE" "" ${ARGN})
  attnc_check_arguments(${name} "${A_UNPARSED_ARGUMENTS}")
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR}/include
       ${CMAKE_CURRENT_SOURCE_DIR})
  if(NOT A_NAMESPACE)
    get_filename_component(A_NAMESPACE ${folder} NAME)
    string(TOLOWER ${A_NAMESPACE} A_NAMESPACE)
  endif()
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name ${name})
  # A dialect's folder may hold passes too; then its target exists already.
  if(TARGET Attnc${name}IncGen)
    add_public_tablegen_target(Attnc${name}PassesIncGen)
    add_dependencies(Attnc${name}IncGen Attnc${name}PassesIncGen)
  else()
    add_public_tablegen_target(Attnc${name}IncGen)
  endif()
  set_property(GLOBAL APPEND PROPERTY ATTNC_REGISTERED_HEADERS
               ${folder}/Passes.h)
  set_property(GLOBAL APPEND PROPERTY ATTNC_REGISTERED
               "ATTNC_PASSES(attnc::${A_NAMESPACE}::register${name}Passes)")
  set_property(GLOBAL APPEND PROPERTY ATTNC_REGISTERED_LIBRARIES Attnc${name})
  string(TOLOWER ${name} doc)
  attnc_doc(passes/${doc}.md -gen-pass-doc)
endfunction()

# Writes what attnc_dialect and attnc_passes declared into two headers of the
# build tree, so that no list of dialects or passes is kept by hand:
# attnc/RegisteredHeaders.inc (includes) and attnc/Registered.inc, lines of
# ATTNC_DIALECT(Class) and ATTNC_PASSES(function). ATTNC_REGISTERED_LIBRARIES
# is what a user of them links.
function(attnc_write_registration)
  get_property(headers GLOBAL PROPERTY ATTNC_REGISTERED_HEADERS)
  get_property(entries GLOBAL PROPERTY ATTNC_REGISTERED)
  get_property(libraries GLOBAL PROPERTY ATTNC_REGISTERED_LIBRARIES)
  set(text "")
  foreach(header IN LISTS headers)
    string(APPEND text "#include \"${header}\"\n")
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/include/attnc/RegisteredHeaders.inc
       CONTENT "${text}" @ONLY)
  list(JOIN entries "\n" text)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/include/attnc/Registered.inc
       CONTENT "${text}\n" @ONLY)
  list(REMOVE_DUPLICATES libraries)
  set(ATTNC_REGISTERED_LIBRARIES ${libraries} PARENT_SCOPE)
endfunction()

# Generates build/docs/<output> from LLVM_TARGET_DEFINITIONS.
add_custom_target(attnc-docs)
function(attnc_doc output)
  set(file ${PROJECT_BINARY_DIR}/docs/${output})
  get_filename_component(folder ${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  set(td ${CMAKE_CURRENT_SOURCE_DIR}/${LLVM_TARGET_DEFINITIONS})
  file(GLOB included CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.td)
  add_custom_command(OUTPUT ${file}
    COMMAND ${MLIR_TABLEGEN_EXE} ${ARGN} ${td} -o ${file}
            -I ${PROJECT_SOURCE_DIR}/include -I ${MLIR_INCLUDE_DIRS}
            -I ${CMAKE_CURRENT_SOURCE_DIR}
    DEPENDS ${included} VERBATIM)
  string(MAKE_C_IDENTIFIER doc-${output} target)
  add_custom_target(${target} DEPENDS ${file})
  add_dependencies(attnc-docs ${target})
endfunction()

# Writes a file as a list of numbers for the initializer of an array. Such files
# are #included, not #embedded: ccache knows nothing of #embed and would hand out
# the code of another day.
function(attnc_embed input output)
  set(script ${PROJECT_SOURCE_DIR}/cmake/EmbedFile.cmake)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${input} -DOUTPUT=${output} -P ${script}
    DEPENDS ${input} ${script} VERBATIM)
endfunction()

# Compiles a launcher of kernels, which is C and becomes a part of objects, to
# LLVM IR. It may include entry.h, launch.h and headers of its folder.
function(attnc_compile_launcher source triple output)
  cmake_path(GET source PARENT_PATH folder)
  set(abi ${PROJECT_SOURCE_DIR}/lib/Emit/Abi)
  set(shared ${PROJECT_SOURCE_DIR}/lib/Codegen/Common/Launch)
  set(runtime ${PROJECT_SOURCE_DIR}/runtime/include)
  file(GLOB headers CONFIGURE_DEPENDS ${folder}/*.h ${shared}/*.h)
  set(options -fPIC)
  if(triple MATCHES "^aarch64")
    list(APPEND options -mno-outline-atomics) # they are in the compiler's library
  elseif(triple MATCHES "windows|wasm")
    set(options "") # always there; never there
  endif()
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_C_COMPILER} --target=${triple} -std=c11 -O1 -ffreestanding
            -fno-builtin -fno-ident -Wall -Wextra -Werror
            -fno-asynchronous-unwind-tables -I ${abi} -I ${shared} -I ${runtime}
            ${options} -emit-llvm -S ${source} -o ${output}
    DEPENDS ${source} ${headers} ${abi}/entry.h ${runtime}/attnc.h VERBATIM)
endfunction()

# Writes into ${folder}/${name}.inc the constant k${name}, pairs of a string and
# the text of a file, for each "STRING=FILE". ${name}_FILES lists what a source
# that includes it depends on.
function(attnc_embed_texts folder name)
  set(arrays "")
  set(rows "")
  set(files ${folder}/${name}.inc)
  foreach(pair IN LISTS ARGN)
    string(REPLACE "=" ";" pair ${pair})
    list(GET pair 0 string)
    list(GET pair 1 file)
    string(MAKE_C_IDENTIFIER k${name}_${string} array)
    attnc_embed(${file} ${folder}/${name}-${string}.inc)
    list(APPEND files ${folder}/${name}-${string}.inc)
    string(APPEND arrays "static constexpr char ${array}[] = {\n"
           "#include \"${name}-${string}.inc\"\n};\n")
    string(APPEND rows "    {\"${string}\", {${array}, sizeof(${array})}},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${folder}/${name}.inc @ONLY CONTENT
       "${arrays}static constexpr std::pair<llvm::StringLiteral, llvm::StringRef> k${name}[] = {\n${rows}};\n")
  set(${name}_FILES ${files} PARENT_SCOPE)
endfunction()

# A GoogleTest program build/test/Unit/<Name>Tests.
function(attnc_unittest name)
  cmake_parse_arguments(A "" "" "SRCS;DEPS;MLIR" ${ARGN})
  attnc_check_arguments(${name} "${A_UNPARSED_ARGUMENTS}")
  set(target Attnc${name}Tests)
  add_executable(${target} ${A_SRCS})
  target_link_libraries(${target} PRIVATE ${A_DEPS} ${A_MLIR} MLIRIR LLVM
                        GTest::gtest GTest::gtest_main)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}Tests
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test/Unit)
  attnc_target_defaults(${target})
  add_dependencies(AttncUnitTests ${target})
endfunction()

function(attnc_check_arguments name unparsed)
  if(unparsed)
    message(FATAL_ERROR "${name}: unknown arguments: ${unparsed}")
  endif()
endfunction()
