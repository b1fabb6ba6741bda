# The CUDA grammar and the parser runtime, brought by cmake/fetch_grammar.sh; compiled once, never
# changed. Neither is ours: no warnings, no sanitizers.
set(WARPMIND_GRAMMAR_DIR ${PROJECT_SOURCE_DIR}/build/grammar CACHE PATH
  "Where cmake/fetch_grammar.sh put the CUDA grammar")
set(grammar ${WARPMIND_GRAMMAR_DIR}/tree-sitter-cuda-0.21.1)
set(runtime ${WARPMIND_GRAMMAR_DIR}/tree-sitter-0.25.1/vendor/tree-sitter/lib)
if(NOT EXISTS ${grammar}/src/parser.c OR NOT EXISTS ${runtime}/src/lib.c)
  message(FATAL_ERROR "The CUDA grammar is missing. Run cmake/fetch_grammar.sh (or `make demo`, "
                      "which does it)")
endif()
add_library(warpmind_tree_sitter STATIC
  ${grammar}/src/parser.c ${grammar}/src/scanner.c ${runtime}/src/lib.c)
set_target_properties(warpmind_tree_sitter PROPERTIES UNITY_BUILD OFF C_STANDARD 11)
target_include_directories(warpmind_tree_sitter SYSTEM
  PUBLIC ${runtime}/include PRIVATE ${runtime}/src ${grammar}/src)
target_compile_options(warpmind_tree_sitter PRIVATE -w -O1)
