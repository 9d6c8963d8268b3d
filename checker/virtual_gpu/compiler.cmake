# The compile path: .cu files to programs for the virtual GPU.
add_library(virtual_gpu_compiler STATIC
  token.cpp navigator.cpp shared_declaration.cpp constructs.cpp columns.cpp position_writer.cpp translator.cpp
  process.cpp object_cache.cpp diagnostics.cpp toolkit_headers.cpp compile.cpp)
streamlings_target(virtual_gpu_compiler)
set_target_properties(virtual_gpu_compiler PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
find_package(Threads REQUIRED)
target_link_libraries(virtual_gpu_compiler PUBLIC Threads::Threads PRIVATE parsing)

streamlings_tests(virtual_gpu_compiler
  SOURCES token_test.cpp translator_test.cpp process_test.cpp object_cache_test.cpp diagnostics_test.cpp
          toolkit_headers_test.cpp compile_test.cpp
  USES virtual_gpu_compiler)

add_executable(streamlings-compile compile_main.cpp)
streamlings_target(streamlings-compile)
# It reads its command line: an earlier end of the first start is worth more than faster code.
target_compile_options(streamlings-compile PRIVATE -O0)
target_link_libraries(streamlings-compile PRIVATE virtual_gpu_compiler parsing)
target_compile_definitions(streamlings-compile PRIVATE
  STREAMLINGS_DEVICE_CXX="${STREAMLINGS_DEVICE_CXX}"
  STREAMLINGS_VIRTUAL_INCLUDE="${CMAKE_CURRENT_SOURCE_DIR}/include"
  STREAMLINGS_LIBRARY_DIRECTORY="${CMAKE_LIBRARY_OUTPUT_DIRECTORY}"
  STREAMLINGS_PROGRAM_LIBRARIES="$<JOIN:${STREAMLINGS_PROGRAM_LIBRARIES}, >"
  STREAMLINGS_EXERCISE_MAIN="$<TARGET_OBJECTS:exercise_main>"
  STREAMLINGS_PROGRAM_HOOK="$<TARGET_OBJECTS:program_hook>")
add_dependencies(streamlings-compile exercise_main program_hook)
