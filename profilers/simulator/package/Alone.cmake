# The package configured by itself: what warpmind's top folder brings otherwise.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
find_package(Threads REQUIRED)
find_package(tl-expected REQUIRED)         # libexpected-dev
find_package(nlohmann_json 3.11 REQUIRED)  # nlohmann-json3-dev
find_library(WARPSIM_ZSTD_LIBRARY zstd REQUIRED)  # libzstd-dev
add_library(warpmind_zstd INTERFACE)
target_link_libraries(warpmind_zstd INTERFACE ${WARPSIM_ZSTD_LIBRARY})
add_library(warpmind_options INTERFACE)
target_compile_options(warpmind_options INTERFACE -Wall -Wextra)
set(WARPSIM_BASE warpsim_base)

# libcudart.so is built where a toolkit and toml++ are.
find_package(CUDAToolkit 12.4 QUIET)
find_package(tomlplusplus 3.3 QUIET)  # libtomlplusplus-dev
set(runtime_default OFF)
if(CUDAToolkit_FOUND AND tomlplusplus_FOUND)
  set(runtime_default ON)
endif()
option(WARPSIM_RUNTIME "Build the drop-in CUDA runtime (needs a CUDA toolkit and toml++)" ${runtime_default})
if(NOT WARPSIM_RUNTIME)
  return()
endif()
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_INCLUDES ${CUDAToolkit_INCLUDE_DIRS})
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
check_cxx_source_compiles("#include <cuda_runtime_api.h>\ncudaLibrary_t library;" WARPMIND_HAS_CUDA_LIBRARY)
unset(CMAKE_TRY_COMPILE_TARGET_TYPE)

# The device table, and the records that the runtime writes.
file(GLOB devices RELATIVE ${WARPSIM_ROOT}/config CONFIGURE_DEPENDS ${WARPSIM_ROOT}/config/devices/*.toml)
list(TRANSFORM devices PREPEND ${WARPSIM_ROOT}/config/ OUTPUT_VARIABLE device_files)
set(embedded ${CMAKE_CURRENT_BINARY_DIR}/embedded_files.cpp)
add_custom_command(OUTPUT ${embedded}
  COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${WARPSIM_ROOT}/config -DOUTPUT=${embedded}
    -DHEADER=config/embedded_files.h -DNAMESPACE=warpmind::config -DFUNCTION=embedded_files
    "-DFILES=${devices}" -P ${WARPSIM_ROOT}/cmake/EmbedFiles.cmake
  DEPENDS ${device_files} ${WARPSIM_ROOT}/cmake/EmbedFiles.cmake VERBATIM)
add_library(warpsim_runtime_parts STATIC ${embedded}
  ${WARPSIM_ROOT}/base/file.cpp
  ${WARPSIM_ROOT}/config/device_table.cpp ${WARPSIM_ROOT}/config/nearest_name.cpp
  ${WARPSIM_ROOT}/config/toml_document.cpp ${WARPSIM_ROOT}/config/toml_table_reader.cpp
  ${WARPSIM_ROOT}/profilers/inject/kernel_record.cpp
  ${WARPSIM_ROOT}/profilers/launch_record/buffer_contents.cpp
  ${WARPSIM_ROOT}/profilers/launch_record/call_trace.cpp
  ${WARPSIM_ROOT}/profilers/launch_record/cuda_call.cpp)
set_target_properties(warpsim_runtime_parts PROPERTIES
  POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
target_link_libraries(warpsim_runtime_parts PUBLIC warpsim_base PRIVATE warpmind_options tomlplusplus::tomlplusplus)
set(WARPSIM_RUNTIME_PARTS warpsim_runtime_parts)
