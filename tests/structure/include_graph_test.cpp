#include "tests/structure/include_graph.h"

#include "tests/structure/sample_tree.h"

#include <gtest/gtest.h>

namespace structure::include_graph_test {
namespace {

TEST(IncludeGraph, LayersIncludeOnlyLayersToTheirLeft) {
  const Complaints complaints = check_layers(repository());
  EXPECT_TRUE(complaints.empty()) << to_text(complaints);
}

TEST(IncludeGraph, HasNoCycles) {
  const Complaints complaints = check_cycles(repository());
  EXPECT_TRUE(complaints.empty()) << to_text(complaints);
}

TEST(IncludeGraph, HasNoCyclesBetweenFolders) {
  const Complaints complaints = check_folder_cycles(repository());
  EXPECT_TRUE(complaints.empty()) << to_text(complaints);
}

TEST(IncludeGraph, UmbrellaHeaderReachesOnlyLightHeaders) {
  const Complaints complaints = check_public_headers(repository());
  EXPECT_TRUE(complaints.empty()) << to_text(complaints);
}

TEST(IncludeGraph, KeepsTheSimulationApart) {
  const Complaints complaints = check_simulation(repository());
  EXPECT_TRUE(complaints.empty()) << to_text(complaints);
}

TEST(IncludeGraphCheck, NamesEveryForbiddenInclude) {
  const SampleTree tree;
  tree.write("tensor/tensor.h", "#pragma once\n#include <minima/ops/op.h>\n");
  tree.write("tensor/quoted.h", "#include \"tensor.h\"\n");
  tree.write("ops/op.h", "#include <minima/tensor/tensor.h>\n  #  include <minima/tensor/gone.h>\n");
  tree.write("nn/layers/linear.cpp", "#include <minima/profiler/range.h>\n");
  tree.write("nn/all.cpp", "#include <minima/minima.h>\n#include <minima/tests/x.h>\n#include <vector>\n");
  tree.write("profiler/advice/rule.h", "#include <minima/nn/layers/linear.h>\n");
  tree.write("nn/layers/linear.h", "#pragma once\n");
  tree.write("profiler/range.h", "#include <minima/ops/op.h>\n#include <minima/nn/layers/linear.h>\n");
  const Complaints expected{
      "nn/all.cpp:1 includes minima/minima.h: it is for users and stands above all layers",
      "nn/all.cpp:2 includes minima/tests/x.h: there is no layer tests",
      "nn/layers/linear.cpp:1 includes minima/profiler/range.h: nn may not include profiler",
      "ops/op.h:2 includes minima/tensor/gone.h: there is no such file",
      "profiler/range.h:2 includes minima/nn/layers/linear.h: profiler may not include nn",
      "tensor/quoted.h:1 includes tensor.h: the library's files include one another as <minima/LAYER/file.h>",
      "tensor/tensor.h:2 includes minima/ops/op.h: tensor may not include ops",
  };
  EXPECT_EQ(check_layers(tree.root()), expected);
}

TEST(IncludeGraphCheck, FollowsTheUmbrellaHeaderToHeavyHeaders) {
  const SampleTree tree;
  tree.write("minima.h", "#include <minima/tensor/tensor.h>\n#include <minima/profiler/range.h>\n#include <string>\n");
  tree.write("tensor/tensor.h", "#include <memory>\n#include <minima/ops/reduce/softmax.h>\n");
  tree.write("ops/reduce/softmax.h", "#include <minima/ops/op.h>\n#include <minima/ops/pointwise_loop.h>\n");
  tree.write("ops/unreached.h", "#include <iostream>\n");
  const Complaints expected{
      "minima.h:2 includes minima/profiler/range.h: the profiler is included by those who use it",
      "tensor/tensor.h:1 includes memory: minima.h may not reach it; see light_headers in this test",
      "ops/reduce/softmax.h:1 includes minima/ops/op.h: minima.h may not reach headers for authors of operators",
      "ops/reduce/softmax.h:2 includes minima/ops/pointwise_loop.h: minima.h may not reach headers for authors of "
      "operators",
  };
  EXPECT_EQ(check_public_headers(tree.root()), expected);
}

TEST(IncludeGraphCheck, KeepsTheSimulationOutOfTheLibrary) {
  const SampleTree tree;
  tree.write("tensor/cuda/stream.cpp", "#include <simulated/simulation.h>\n");
  tree.write("simulated/runtime/call.h", "#include \"simulated/machine/machine.h\"\n");
  tree.write("simulated/runtime/call.cpp", "#include <string>\n#include \"simulated/runtime/call.h\"\n");
  tree.write("simulated/machine/machine.h",
             "#include <minima/tensor/tensor.h>\n#include \"simulated/runtime/call.h\"\n");
  const Complaints expected{
      "tensor/cuda/stream.cpp:1 includes simulated/simulation.h: only tests know the simulated GPUs",
      "simulated/machine/machine.h:1 includes minima/tensor/tensor.h: the simulated GPUs know nothing of minima",
      "simulated/runtime/call.cpp: include its own header first",
      "simulated/machine → simulated/runtime → simulated/machine",
  };
  EXPECT_EQ(check_simulation(tree.root()), expected);
}

TEST(IncludeGraphCheck, LetsProgramsAndTestsOfTheSimulationUseMinima) {
  const SampleTree tree;
  tree.write("simulated/dryrun/report.h", "#include <minima/io/text/json.h>\n#include \"simulated/machine/cost.h\"\n");
  tree.write("simulated/prices/main.cpp", "#include \"simulated/tests/simulated.h\"\n");
  tree.write("simulated/machine/cost.h", "#include \"simulated/dryrun/report.h\"\n");
  tree.write("simulated/tests/simulated.h", "#include <minima/minima.h>\n");
  tree.write("simulated/tests/simulated.cpp", "#include <string>\n#include \"simulated/tests/simulated.h\"\n");
  const Complaints expected{
      "simulated/machine/cost.h:1 includes simulated/dryrun/report.h: the simulated GPUs know nothing of programs that "
      "use them",
      "simulated/prices/main.cpp:1 includes simulated/tests/simulated.h: only tests know tests",
      "simulated/dryrun → simulated/machine → simulated/dryrun",
  };
  EXPECT_EQ(check_simulation(tree.root()), expected);
}

TEST(IncludeGraphCheck, PrintsACycle) {
  const SampleTree tree;
  tree.write("tensor/a.h", "#include <minima/tensor/b.h>\n");
  tree.write("tensor/b.h", "#include <minima/tensor/c.h>\n");
  tree.write("tensor/c.h", "#include <minima/tensor/b.h>\n");
  EXPECT_EQ(check_cycles(tree.root()), Complaints{"tensor/b.h → tensor/c.h → tensor/b.h"});
}

TEST(IncludeGraphCheck, PrintsACycleBetweenFolders) {
  const SampleTree tree;
  tree.write("tensor/memory/block.h", "#include <minima/tensor/device/stream.h>\nint x;\n");
  tree.write("tensor/device/stream.h", "#include <minima/tensor/base/all.h>\nint x;\n");
  tree.write("tensor/base/all.h", "#pragma once\n// All.\n#include <minima/tensor/memory/size.h>\n");
  EXPECT_EQ(check_folder_cycles(tree.root()), Complaints{"tensor/device → tensor/memory → tensor/device"});
}

TEST(IncludeGraphCheck, LetsOnlySourcesOfOperatorsCallOtherOperators) {
  const SampleTree tree;
  tree.write("ops/ops.h", "#include <minima/ops/sum/sum.h>\n#include <minima/ops/view/view.h>\n");
  tree.write("ops/sum/sum.h", "int x;\n");
  tree.write("ops/sum/sum.cpp", "#include <minima/ops/view/view.h>\n#include <minima/ops/core/op.h>\nint x;\n");
  tree.write("ops/view/view.h", "int x;\n");
  tree.write("ops/view/view.cpp", "#include <minima/ops/sum/sum.h>\nint x;\n");
  tree.write("ops/core/op.h", "int x;\n");
  EXPECT_EQ(check_folder_cycles(tree.root()), Complaints{});
  tree.write("ops/core/op.cpp", "#include <minima/ops/sum/sum.h>\nint x;\n");
  tree.write("ops/view/view_kernels.h", "#include <minima/ops/sum/sum.h>\nint x;\n");
  tree.write("ops/sum/sum_kernels.h", "#include <minima/ops/view/view_kernels.h>\nint x;\n");
  const Complaints expected{"ops/core → ops/sum → ops/core", "ops/sum → ops/view → ops/sum"};
  EXPECT_EQ(check_folder_cycles(tree.root()), expected);
}

}  // namespace
}  // namespace structure::include_graph_test
