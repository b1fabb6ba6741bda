# One INTERFACE target carries the standard, the warnings and the sanitizers of our own code.
add_library(warpmind_options INTERFACE)
target_compile_features(warpmind_options INTERFACE cxx_std_20)
target_compile_options(warpmind_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast -Wformat=2)
if(WARPMIND_WARNINGS_AS_ERRORS)
  target_compile_options(warpmind_options INTERFACE -Werror)
endif()
if(WARPMIND_SANITIZE)
  target_compile_options(warpmind_options INTERFACE
    -fsanitize=${WARPMIND_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(warpmind_options INTERFACE -fsanitize=${WARPMIND_SANITIZE})
  # ASan meets a null pointer at its use: the first five repeat that at a sixth of the build. The last two
  # instrument every access for another quarter, for what x86-64 forgives and what bounds and ASan see.
  if(WARPMIND_SANITIZE MATCHES undefined)
    target_compile_options(warpmind_options INTERFACE
      -fno-sanitize=null,object-size,vptr,nonnull-attribute,returns-nonnull-attribute
      -fno-sanitize=alignment,pointer-overflow)
  endif()
  if(WARPMIND_SANITIZE MATCHES thread)
    target_compile_options(warpmind_options INTERFACE -Wno-tsan)
  endif()
endif()
include(${CMAKE_CURRENT_LIST_DIR}/UnityGroups.cmake)
