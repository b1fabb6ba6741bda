# What the simulator takes from levels below it. In warpmind's build that is warpmind_base; the package has the few
# files of it that the simulator uses, in a library of their own. Base.cmake grows when an #include does.
add_library(warpsim_base STATIC
  ${WARPSIM_ROOT}/base/codec/json_guard.cpp ${WARPSIM_ROOT}/base/codec/json_types.cpp
  ${WARPSIM_ROOT}/base/half.cpp ${WARPSIM_ROOT}/base/text.cpp)
target_sources(warpsim_base PUBLIC FILE_SET HEADERS BASE_DIRS ${WARPSIM_ROOT} FILES
  ${WARPSIM_ROOT}/base/clock.h ${WARPSIM_ROOT}/base/enum_names.h ${WARPSIM_ROOT}/base/half.h ${WARPSIM_ROOT}/base/ids.h
  ${WARPSIM_ROOT}/base/result.h ${WARPSIM_ROOT}/base/sequence.h ${WARPSIM_ROOT}/base/text.h
  ${WARPSIM_ROOT}/base/model/best_library.h ${WARPSIM_ROOT}/base/model/device.h ${WARPSIM_ROOT}/base/model/dtype.h
  ${WARPSIM_ROOT}/base/model/effort.h ${WARPSIM_ROOT}/base/model/kernel.h ${WARPSIM_ROOT}/base/model/launch_shape.h ${WARPSIM_ROOT}/base/model/limit.h
  ${WARPSIM_ROOT}/base/model/measurement.h ${WARPSIM_ROOT}/base/model/metric_names.h
  ${WARPSIM_ROOT}/base/model/profile.h ${WARPSIM_ROOT}/base/model/verdict.h)
set_target_properties(warpsim_base PROPERTIES EXPORT_NAME base POSITION_INDEPENDENT_CODE ON)
target_compile_features(warpsim_base PUBLIC cxx_std_20)

if(WARPSIM_IS_ALONE)
  include(${CMAKE_CURRENT_LIST_DIR}/Alone.cmake)
else()
  set(WARPSIM_BASE warpmind_base)
  set(WARPSIM_RUNTIME ${WARPMIND_BUILD_WORKER})
  set(WARPSIM_RUNTIME_PARTS warpmind_kernel_record warpmind_launch_record warpmind_config)
  # Its sources and headers are warpmind_base's: checked there, and built for the package alone.
  set_target_properties(warpsim_base PROPERTIES VERIFY_INTERFACE_HEADER_SETS OFF UNITY_BUILD OFF)
  if(NOT WARPMIND_BUILD_TESTS)
    set_target_properties(warpsim_base PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endif()
target_link_libraries(warpsim_base
  PUBLIC tl::expected $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>
  PRIVATE $<BUILD_INTERFACE:warpmind_options>)
