# ONNX's test data as a judge of operators; scripts/setup.sh installs them. Without them the tests skip themselves.
set(MINIMA_ONNX_DATA /usr/share/libonnx-testdata/data/node CACHE PATH "Where ONNX's node test data lie")
set(folder ${CMAKE_CURRENT_SOURCE_DIR}/onnx)
target_sources(test_onnx PRIVATE ${PROJECT_SOURCE_DIR}/examples/resnet/network.cpp
  ${PROJECT_SOURCE_DIR}/examples/fno/network.cpp)
target_compile_definitions(test_onnx PRIVATE MINIMA_ONNX_DATA="${MINIMA_ONNX_DATA}"
  MINIMA_ONNX_SKIPPED="${folder}/skipped.txt" MINIMA_ONNX_MODELS="${folder}/models.txt" MINIMA_ONNX_NEWER="${folder}/newer.txt"
  MINIMA_ONNX_TORCH_MODELS="${folder}/write_torch_models.py" MINIMA_ONNX_ZOO_MODELS="${folder}/write_zoo_models.py"
  MINIMA_ONNX_RUN_MODELS="${folder}/run_models.py" MINIMA_ONNX_WRITE_CASES="${folder}/write_cases.py")
# The cases of PyPI's onnx, and written models in its onnxruntime; skipped where they are not installed.
gtest_discover_tests(test_onnx TEST_FILTER "Python*" TEST_LIST python_onnx_tests NO_PRETTY_VALUES
  PROPERTIES LABELS python DISCOVERY_TIMEOUT 60)
minima_test_on_gpu(test_onnx "*OnnxNodes*-NoTest.*" "" 1 all)
