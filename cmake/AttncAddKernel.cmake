# attnc_add_kernel(<target> <spec.yaml>
#   [NAME <name>] [MCPU <level>] [OPTIONS <option>...])
#
# Compiles a spec when <target> is built, adds the object to the sources of
# <target>, and the directory of the header <name>.h to its include directories
# (and to those of targets that link it). <name> is the file name of the spec
# without extensions. MCPU is -mcpu, OPTIONS are further options of attnc.
#
#   attnc_add_kernel(server attention/gpt2.yaml MCPU x86-64-v4
#                    OPTIONS --set dtype=f64 -Wno-slow-path)
#   #include "gpt2.h"
#
# The spec is compiled again when it, a file that it reads or attnc changes.
# Call it in the directory that created <target>. One object serves all build
# configurations.

# CMP0116: depfiles of any generator hold the paths that attnc writes.
cmake_policy(PUSH)
cmake_policy(VERSION 3.20...3.25)

function(attnc_add_kernel target spec)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "NAME;MCPU" "OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "attnc_add_kernel(${target} ${spec}): unknown "
      "arguments: ${arg_UNPARSED_ARGUMENTS}; options of attnc follow OPTIONS")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "attnc_add_kernel: there is no target '${target}'; "
      "create it before")
  endif()
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(type ${target} TYPE)
  if(NOT folder STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    message(FATAL_ERROR "attnc_add_kernel: target '${target}' was created in "
      "${folder}; call attnc_add_kernel there")
  endif()
  set(holders EXECUTABLE STATIC_LIBRARY SHARED_LIBRARY MODULE_LIBRARY)
  if(NOT type IN_LIST holders)
    message(FATAL_ERROR "attnc_add_kernel: target '${target}' is a ${type}; "
      "an executable or a static, shared or module library can hold the object")
  endif()
  set(processors "" x86_64 AMD64)
  if(NOT "${CMAKE_SYSTEM_PROCESSOR}" IN_LIST processors)
    message(FATAL_ERROR "attnc_add_kernel: attnc compiles for x86-64, not for "
      "${CMAKE_SYSTEM_PROCESSOR}")
  endif()

  get_filename_component(spec "${spec}" ABSOLUTE)
  if(NOT arg_NAME)
    get_filename_component(arg_NAME "${spec}" NAME_WE)
  endif()
  if(arg_MCPU)
    list(PREPEND arg_OPTIONS -mcpu=${arg_MCPU})
  endif()
  set(output ${CMAKE_CURRENT_BINARY_DIR}/attnc/${target})
  set(base ${output}/${arg_NAME})
  file(MAKE_DIRECTORY ${output})
  add_custom_command(OUTPUT ${base}.o ${base}.h
    COMMAND attnc::attnc ${spec} -o ${base}.o -MD -MF ${base}.d ${arg_OPTIONS}
    DEPENDS ${spec} attnc::attnc DEPFILE ${base}.d
    COMMENT "Compiling the attention ${arg_NAME}" VERBATIM)
  set_source_files_properties(${base}.o PROPERTIES
    EXTERNAL_OBJECT TRUE GENERATED TRUE)
  target_sources(${target} PRIVATE ${base}.o ${base}.h)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${output}>)
endfunction()

cmake_policy(POP)
