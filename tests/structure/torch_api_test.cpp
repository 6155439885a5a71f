#include "tests/structure/sample_tree.h"
#include "tests/structure/source_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

// torch_api/ stands above the library: it includes all layers, and none of them knows LibTorch's names. Its headers are
// found by LibTorch's names, its sources may include private headers of their folder.

namespace structure::torch_api_test {
namespace {

namespace fs = std::filesystem;

bool is_torchs(const std::string& name) {
  for (const char* folder : {"torch/", "c10/", "ATen/", "c10d/", "caffe2/"})
    if (name.starts_with(folder)) return true;
  return false;
}

/// Whether the file asks if the header is there.
bool is_optional(const SourceFile& file, const Include& include) {
  const std::string question = "__has_include(<" + include.name + ">)";
  return std::any_of(file.lines.begin(), file.lines.end(),
                     [&](const std::string& line) { return line.find(question) != std::string::npos; });
}

Complaints complaints_of(const fs::path& root) {
  Complaints complaints;
  const auto complain = [&](const SourceFile& file, const Include& include, const char* rule) {
    complaints.push_back(file.path + ":" + std::to_string(include.line) + " includes " + include.name + ": " + rule);
  };
  for (const SourceFile& file : library_sources(root))
    for (const Include& include : file.includes())
      if (is_torchs(include.name)) complain(file, include, "the library knows nothing of LibTorch's interface");
  for (const SourceFile& file : sources_in(root, {"torch_api"})) {
    const bool is_header = file.path.starts_with("torch_api/include/");
    for (const Include& include : file.includes()) {
      if (is_optional(file, include)) continue;
      if (is_torchs(include.name)) {
        if (!fs::exists(root / "torch_api/include" / include.name)) complain(file, include, "there is no such header");
      } else if (include.name.starts_with("minima/")) {
        if (!fs::exists(root / include.name.substr(7))) complain(file, include, "there is no such file");
        else if (is_header && include.name == "minima/minima.h")
          complain(file, include, "a header includes what it needs of the library");
      } else if (is_header && include.quoted) {
        complain(file, include, "an installed header has no private ones");
      }
    }
  }
  return complaints;
}

TEST(TorchApi, StandsAboveTheLibrary) {
  const Complaints complaints = complaints_of(repository());
  EXPECT_TRUE(complaints.empty()) << to_text(complaints);
}

TEST(TorchApiCheck, NamesEveryForbiddenInclude) {
  const SampleTree tree;
  tree.write("ops/op.h", "#include <torch/torch.h>\n");
  tree.write("minima.h", "");
  tree.write("torch_api/include/torch/torch.h",
             "#include <minima/minima.h>\n#include \"own.h\"\n#include <ATen/gone.h>\n");
  tree.write("torch_api/nn/linear.cpp", "#include <torch/torch.h>\n#include <minima/ops/gone.h>\n#include \"own.h\"\n");
  const Complaints expected{
      "ops/op.h:1 includes torch/torch.h: the library knows nothing of LibTorch's interface",
      "torch_api/include/torch/torch.h:1 includes minima/minima.h: a header includes what it needs of the library",
      "torch_api/include/torch/torch.h:2 includes own.h: an installed header has no private ones",
      "torch_api/include/torch/torch.h:3 includes ATen/gone.h: there is no such header",
      "torch_api/nn/linear.cpp:2 includes minima/ops/gone.h: there is no such file",
  };
  EXPECT_EQ(complaints_of(tree.root()), expected);
}

}  // namespace
}  // namespace structure::torch_api_test
