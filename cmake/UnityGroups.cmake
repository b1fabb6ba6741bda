# Sources that can share a translation unit do so where WARPMIND_UNITY asks for it: the headers of a
# dozen sources are then read and checked once. Every preset but dev asks for it; in dev each file is
# compiled by itself. unity_groups.awk decides who shares with whom.
set(WARPMIND_UNITY "" CACHE STRING "Sources that share translation units: nothing, tests or all")
set(WARPMIND_UNITY_SOURCES 12 CACHE STRING "The most sources that share one translation unit")
set(WARPMIND_UNITY_APART "" CACHE STRING "Sources that share none all the same, as absolute paths")
# unsupported_api.cpp declares the toolkit's functions with no types, so it must not see the toolkit.
set(WARPMIND_UNITY_NEVER profilers/simulator/cudart/unsupported_api.cpp)
# Of base, what uses OpenSSL and spdlog, and of config, what the device table needs: linked with their neighbours,
# libraries that live in users' programs would bring OpenSSL along.
# Of syntax, what uses the grammar: the client needs the lexer alone, and the grammar has megabytes of tables.
list(APPEND WARPMIND_UNITY_NEVER syntax/cuda_source.cpp syntax/syntax_tree.cpp base/hash.cpp base/log.cpp base/model/identity.cpp
  config/device_table.cpp config/nearest_name.cpp config/toml_document.cpp config/toml_table_reader.cpp)
list(TRANSFORM WARPMIND_UNITY_NEVER PREPEND ${PROJECT_SOURCE_DIR}/)
set(WARPMIND_UNITY_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/unity_groups.awk)

# Sources of a target that share one translation unit in every preset: a header that takes seconds to read
# is read once.
function(warpmind_always_share target)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    if(NOT source IN_LIST WARPMIND_UNITY_APART)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP always)
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

function(warpmind_targets_below folder result)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below IN LISTS folders)
    warpmind_targets_below(${below} more)
    list(APPEND targets ${more})
  endforeach()
  set(${result} ${targets} PARENT_SCOPE)
endfunction()

# Appends a line "TARGET PATH" for each source of a target that was written by hand.
function(warpmind_list_sources target result)
  get_target_property(type ${target} TYPE)
  if(NOT type MATCHES "^(EXECUTABLE|(STATIC|SHARED|MODULE|OBJECT)_LIBRARY)$")
    return()
  endif()
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(sources ${target} SOURCES)
  set(lines "${${result}}")
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder} NORMALIZE)
    string(FIND "${source}" "${PROJECT_BINARY_DIR}/" generated)
    if(source MATCHES "\\.cpp$" AND NOT generated EQUAL 0)
      string(APPEND lines "${target} ${source}\n")
    endif()
  endforeach()
  set(${result} "${lines}" PARENT_SCOPE)
endfunction()

function(warpmind_share_translation_units)
  set(top ${PROJECT_SOURCE_DIR})
  if(WARPMIND_UNITY STREQUAL "tests")
    string(APPEND top /tests)
  endif()
  warpmind_targets_below(${top} targets)
  set(lines "")
  foreach(target IN LISTS targets)
    warpmind_list_sources(${target} lines)
  endforeach()
  file(WRITE ${PROJECT_BINARY_DIR}/unity_sources.txt "${lines}")
  execute_process(
    COMMAND awk -v root=${PROJECT_SOURCE_DIR}/ -v most=${WARPMIND_UNITY_SOURCES} -f ${WARPMIND_UNITY_SCRIPT}
    INPUT_FILE ${PROJECT_BINARY_DIR}/unity_sources.txt OUTPUT_VARIABLE groups
    COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" groups "${groups}")
  set(apart ${WARPMIND_UNITY_NEVER} ${WARPMIND_UNITY_APART})
  foreach(line IN LISTS groups)
    if(line MATCHES "^([0-9]+) ([^ ]+) (.+)$")
      set(group ${CMAKE_MATCH_1})
      set(target ${CMAKE_MATCH_2})
      set(source ${CMAKE_MATCH_3})
      set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
      # The shared unit is no header: that its classes hold types of an unnamed namespace harms nobody.
      set_property(TARGET ${target} APPEND PROPERTY COMPILE_OPTIONS
        $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
      # A source of two targets of one folder keeps its first group.
      get_source_file_property(taken "${source}" TARGET_DIRECTORY ${target} UNITY_GROUP)
      if(NOT taken AND NOT source IN_LIST apart)
        set_source_files_properties("${source}" TARGET_DIRECTORY ${target}
          PROPERTIES UNITY_GROUP ${group})
      endif()
    endif()
  endforeach()
endfunction()

# When every target is known.
if(WARPMIND_UNITY STREQUAL "all" OR (WARPMIND_UNITY STREQUAL "tests" AND WARPMIND_BUILD_TESTS))
  cmake_language(DEFER DIRECTORY ${PROJECT_SOURCE_DIR} CALL warpmind_share_translation_units)
endif()
