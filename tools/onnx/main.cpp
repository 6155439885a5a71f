// minima-onnx prints what an ONNX model takes, gives and consists of, and what of it minima would refuse.

#include <minima/io/onnx/onnx_file.h>
#include <minima/onnx/summary.h>
#include <minima/tensor/base/error.h>

#include <cstdio>
#include <exception>
#include <string>

namespace {

constexpr int unreadable = 1, misused = 2;

constexpr const char* usage =
    "usage: minima-onnx model.onnx\n\n"
    "Prints the opset, inputs, outputs, weights and operators of an ONNX model, and what minima's onnx::load would\n"
    "refuse, with the reasons.\n";

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs(usage, stderr);
    return misused;
  }
  const std::string path = argv[1];
  if (path == "--help" || path == "-h") return std::fputs(usage, stdout) < 0 ? unreadable : 0;
  try {
    const std::string text = minima::onnx::summary(minima::onnx::read_model(path));
    if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return 0;
    std::perror("minima-onnx: standard output");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "minima-onnx: %s\n", error.what());
  }
  return unreadable;
}
