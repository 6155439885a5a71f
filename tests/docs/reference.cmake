# The reference pages are generated from the headers and compared with what is in the tree.
add_executable(test_reference ${CMAKE_CURRENT_LIST_DIR}/reference.cpp ${CMAKE_CURRENT_LIST_DIR}/reference_test.cpp)
target_link_libraries(test_reference PRIVATE minima_test_support)
target_compile_definitions(test_reference PRIVATE MINIMA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
gtest_discover_tests(test_reference PROPERTIES LABELS cpu)
