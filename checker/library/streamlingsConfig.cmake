# find_package(streamlings): programs for the virtual GPU, and tests of them.
#
#     find_package(streamlings REQUIRED)
#     streamlings_add_program(pipeline SOURCES pipeline.cu)
#     add_executable(pipeline_test pipeline_test.cpp)
#     target_link_libraries(pipeline_test PRIVATE streamlings::streamlings GTest::gmock_main)
#     streamlings_test_programs(pipeline_test pipeline)
cmake_path(SET streamlings_prefix NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../..")

if(NOT TARGET streamlings::streamlings)
  add_library(streamlings::streamlings SHARED IMPORTED)
  set_target_properties(streamlings::streamlings PROPERTIES
    IMPORTED_LOCATION "${streamlings_prefix}/lib/libstreamlings.so"
    INTERFACE_INCLUDE_DIRECTORIES "${streamlings_prefix}/include"
    INTERFACE_COMPILE_FEATURES cxx_std_17)
endif()

# streamlings_add_program(NAME SOURCES ... [OPTIONS ...]): the program NAME, for the virtual GPU, in the current build folder.
# Sources are CUDA (.cu), C++ or C; OPTIONS are nvcc's: -std=c++20, -I..., -D..., -l... Afterwards NAME is an executable
# target: $<TARGET_FILE:NAME> is its file, and add_test(... COMMAND NAME) runs it.
function(streamlings_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;OPTIONS")
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "streamlings_add_program(NAME SOURCES ... [OPTIONS ...])")
  endif()
  cmake_path(SET prefix NORMALIZE "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../..")
  set(compiler "${prefix}bin/streamlings-nvcc")
  set(parts "${compiler}" "${prefix}lib/libvirtual_gpu.so" "${prefix}lib/streamlings/program_hook.o")
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}.objects")
  file(MAKE_DIRECTORY "${folder}")
  set(program "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  foreach(source IN LISTS arg_SOURCES)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    string(MAKE_C_IDENTIFIER "${source}" object)
    set(object "${folder}/${object}.o")
    add_custom_command(OUTPUT "${object}"
      COMMAND "${compiler}" ${arg_OPTIONS} -c -MD -MF "${object}.d" -MT "${object}" -o "${object}" "${source}"
      DEPENDS "${source}" ${parts} DEPFILE "${object}.d" COMMENT "Compiling ${source} for the virtual GPU" VERBATIM)
    list(APPEND objects "${object}")
  endforeach()
  # CMake would take the program, as something to depend on, for the target NAME.
  add_custom_command(OUTPUT "${folder}/linked" BYPRODUCTS "${program}"
    COMMAND "${compiler}" ${arg_OPTIONS} -o "${program}" ${objects}
    COMMAND ${CMAKE_COMMAND} -E touch "${folder}/linked"
    DEPENDS ${objects} ${parts} COMMENT "Linking ${name} for the virtual GPU" VERBATIM)
  add_custom_target(${name}_program ALL DEPENDS "${folder}/linked")
  add_executable(${name} IMPORTED GLOBAL)
  set_target_properties(${name} PROPERTIES IMPORTED_LOCATION "${program}")
  add_dependencies(${name} ${name}_program)
endfunction()

# streamlings_test_programs(TEST NAME...): the executable TEST runs these programs. They are built before it, and in its sources
# the macro NAME, in capital letters, is the file of the program NAME.
function(streamlings_test_programs test)
  foreach(name IN LISTS ARGN)
    string(MAKE_C_IDENTIFIER "${name}" macro)
    string(TOUPPER "${macro}" macro)
    target_compile_definitions(${test} PRIVATE ${macro}="$<TARGET_FILE:${name}>")
    add_dependencies(${test} ${name})
  endforeach()
endfunction()
