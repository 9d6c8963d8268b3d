# Compile commands of the .cu files for clangd, in BUILD/clangd/ (.clangd in the root names it). In clang's own CUDA mode,
# on the headers of the virtual GPU; nothing is built from them.
file(GLOB files RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lessons/*/*.cu
  ${PROJECT_SOURCE_DIR}/solutions/*/*.cu ${PROJECT_SOURCE_DIR}/checker/lessons/*/*.cu
  ${PROJECT_SOURCE_DIR}/checker/lessons/*/right/*.cu ${PROJECT_SOURCE_DIR}/checker/lessons/*/wrong/*.cu)
set(entries "")
foreach(file IN LISTS files)
  string(REGEX MATCH "[0-9][0-9]_[a-z_]+" lesson ${file})
  # What check.cpp declares for the files of its lesson (checking/criterion.h).
  set(null_stream "")
  set(check ${PROJECT_SOURCE_DIR}/checker/lessons/${lesson}/check.cpp)
  if(EXISTS ${check})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${check})
    file(STRINGS ${check} declared REGEX "^NULL_STREAM\\(per_thread\\)")
    if(declared)
      set(null_stream "\"-DCUDA_API_PER_THREAD_DEFAULT_STREAM\", ")
    endif()
  endif()
  string(CONCAT entry "  {\"directory\": \"${PROJECT_SOURCE_DIR}\", \"file\": \"${file}\", \"arguments\": [\"clang++\", "
    "\"-xcuda\", \"--cuda-host-only\", \"-nocudainc\", \"-nocudalib\", \"-Wno-unknown-cuda-version\", \"-std=c++17\", "
    "\"-D__CUDACC__\", ${null_stream}\"-include\", \"checker/cuda_compiler/clangd_prelude.h\", \"-Ichecker/include\", "
    "\"-Ilessons/${lesson}\", \"-I${PROJECT_BINARY_DIR}/modules/exercise\", \"-c\", \"${file}\"]}")
  list(APPEND entries "${entry}")
endforeach()
list(JOIN entries ",\n" entries)
file(WRITE ${PROJECT_BINARY_DIR}/clangd/compile_commands.json "[\n${entries}\n]\n")
