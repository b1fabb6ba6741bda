# What was configured, in one block.
message(STATUS "warpmind ${PROJECT_VERSION}: build type ${CMAKE_BUILD_TYPE}, "
               "tests ${WARPMIND_BUILD_TESTS}, worker ${WARPMIND_BUILD_WORKER}, "
               "sanitizers [${WARPMIND_SANITIZE}], CUDA toolkit ${CUDAToolkit_VERSION}, "
               "RocksDB ${RocksDB_VERSION}, Boost ${Boost_VERSION}")
