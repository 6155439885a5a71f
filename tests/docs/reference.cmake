# The reference pages are generated from the headers and compared with what is in the tree; the test reads files and needs
# nothing of the library.
add_executable(test_reference ${CMAKE_CURRENT_LIST_DIR}/reference.cpp ${CMAKE_CURRENT_LIST_DIR}/reference_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/figures_test.cpp ${CMAKE_CURRENT_LIST_DIR}/separate_headers_test.cpp
  ${PROJECT_SOURCE_DIR}/tests/structure/include_graph.cpp ${PROJECT_SOURCE_DIR}/tests/structure/source_tree.cpp
  ${PROJECT_SOURCE_DIR}/tests/support/public_headers.cpp)
target_link_libraries(test_reference PRIVATE minima_flags GTest::gtest GTest::gtest_main)
target_include_directories(test_reference PRIVATE ${PROJECT_SOURCE_DIR})
list(JOIN MINIMA_LAYERS " " layers)
target_compile_definitions(test_reference PRIVATE MINIMA_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
  MINIMA_REPOSITORY="${PROJECT_SOURCE_DIR}" MINIMA_LAYERS="${layers}")
gtest_discover_tests(test_reference PROPERTIES LABELS cpu DISCOVERY_TIMEOUT 60)
