# lib/warpsim, include/warpsim and lib/cmake/warpsim. An install of warpmind as a whole leaves them out.
include(CMakePackageConfigHelpers)
set(warpsim_component COMPONENT warpsim)
if(NOT WARPSIM_IS_ALONE)
  list(APPEND warpsim_component EXCLUDE_FROM_ALL)
endif()
set(warpsim_package lib/cmake/warpsim)
install(TARGETS warpsim_base warpmind_simulator warpmind_sass warpmind_prediction EXPORT warpsimTargets
  ARCHIVE DESTINATION lib/warpsim ${warpsim_component}
  FILE_SET HEADERS DESTINATION include/warpsim ${warpsim_component})
if(TARGET warpmind_simulated_cudart)
  install(TARGETS warpmind_simulated_cudart EXPORT warpsimTargets
    LIBRARY DESTINATION lib/warpsim ${warpsim_component} NAMELINK_SKIP)
  if(CUDAToolkit_VERSION_MAJOR GREATER_EQUAL 13)
    install(FILES $<TARGET_FILE_DIR:warpmind_simulated_cudart>/libcudart.so.12
      DESTINATION lib/warpsim ${warpsim_component})
  endif()
endif()
install(EXPORT warpsimTargets NAMESPACE warpsim:: DESTINATION ${warpsim_package} ${warpsim_component})
configure_package_config_file(package/warpsimConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/warpsimConfig.cmake
  INSTALL_DESTINATION ${warpsim_package})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/warpsimConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/warpsimConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/warpsimConfigVersion.cmake
  DESTINATION ${warpsim_package} ${warpsim_component})
