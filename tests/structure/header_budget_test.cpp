#include "tests/structure/include_graph.h"
#include "tests/structure/sample_tree.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <iostream>

// What <minima/minima.h> costs a user's file. The goal is 0.6 s at -O2; a time is no test on a loaded machine, so the
// limits are on what makes it: the lines that the compiler sees. The time is printed beside them.

namespace structure::header_budget_test {
namespace {

namespace fs = std::filesystem;

/// Lines of minima's own headers, and all lines with the standard library's, after preprocessing, blank ones left out.
/// All the standard headers that minima.h may reach have 26,400 lines in g++ 12 and 27,900 in g++ 14; <memory> or
/// <functional> alone add over 10,000.
struct Budget {
  std::size_t own = 6360;
  std::size_t all = 32720;
};

struct Cost {
  std::size_t own = 0;
  std::size_t all = 0;
};

/// For <torch/torch.h>, from which LibTorch's programs expect most of the standard library; own lines are those of
/// torch_api/. LibTorch's own header
/// has 260,000 lines.
constexpr Budget torch_budget{.own = 12000, .all = 105000};

/// Counts preprocessed text, in which `# 12 "path"` names the file that the next lines come from.
Cost count(const SourceFile& preprocessed, const std::string& own_folder = "/include/minima/") {
  Cost cost;
  bool own = false;
  for (const std::string& line : preprocessed.lines) {
    if (line.starts_with("# ")) {
      own = line.find(own_folder) != std::string::npos;
    } else if (line.find_first_not_of(" \t") != std::string::npos) {
      ++cost.all;
      cost.own += own;
    }
  }
  return cost;
}

std::string over_budget(const Cost& cost, const Budget& budget) {
  const auto compare = [](const char* what, std::size_t found, std::size_t allowed) {
    if (found <= allowed) return std::string();
    return std::to_string(found) + " " + what + ", at most " + std::to_string(allowed) + "; ";
  };
  return compare("lines of minima's headers", cost.own, budget.own) + compare("lines in all", cost.all, budget.all);
}

/// Runs the compiler; false if it failed.
bool compile(const std::string& arguments) {
  const std::string command = "CCACHE_DISABLE=1 " MINIMA_COMPILER " -std=c++20 -I " MINIMA_INCLUDE_DIR " " + arguments;
  return std::system(command.c_str()) == 0;
}

double processor_milliseconds_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto milliseconds = [](const timeval& time) {
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_usec);
  };
  return milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
}

struct Measured {
  Cost cost;
  double milliseconds = 0;  ///< at -O2
};

/// The cost of a program that only includes the header.
Measured measure(const char* header, const std::string& options, const std::string& own_folder) {
  const SampleTree folder;
  folder.write("user.cpp", std::string("#include <") + header + ">\nint main() {}\n");
  const std::string user = (folder.root() / "user").string();
  Measured result;
  EXPECT_TRUE(compile(options + "-E " + user + ".cpp -o " + user + ".i"));
  result.cost = count(read_source(folder.root(), user + ".i"), own_folder);
  const double before = processor_milliseconds_of_children();
  EXPECT_TRUE(compile(options + "-O2 -c " + user + ".cpp -o " + user + ".o"));
  result.milliseconds = processor_milliseconds_of_children() - before;
  return result;
}

TEST(HeaderBudget, UmbrellaHeaderIsCheapToInclude) {
  const auto [cost, milliseconds] = measure("minima/minima.h", "", "/include/minima/");
  std::cout << "minima.h: " << reachable_headers(repository(), "minima.h").size() << " headers, " << cost.own
            << " lines of minima's own, " << cost.all << " in all, " << static_cast<int>(milliseconds)
            << " ms at -O2 (goal 600)\n";
  EXPECT_EQ(over_budget(cost, Budget{}), "");
}

TEST(HeaderBudget, TorchHeaderCostsLessThanHalfOfLibTorchs) {
  const auto [cost, milliseconds] =
      measure("torch/torch.h", "-I " MINIMA_REPOSITORY "/torch_api/include ", "/torch_api/");
  std::cout << "torch.h: " << cost.own << " lines of its own, " << cost.all << " in all, "
            << static_cast<int>(milliseconds) << " ms at -O2 (goal 4000)\n";
  EXPECT_EQ(over_budget(cost, torch_budget), "");
}

TEST(HeaderBudgetCheck, CountsOwnAndForeignLines) {
  const SourceFile text{"user.i",
                        {"# 1 \"/b/include/minima/minima.h\"", "int a;", "", "# 1 \"/usr/include/c++/12/string\" 3",
                         "int b;", "int c;", "# 2 \"/b/include/minima/minima.h\" 2", "int d;"}};
  const Cost cost = count(text);
  EXPECT_EQ(cost.own, 2u);
  EXPECT_EQ(cost.all, 4u);
  EXPECT_EQ(over_budget(cost, {.own = 2, .all = 4}), "");
  EXPECT_EQ(over_budget(cost, {.own = 1, .all = 3}),
            "2 lines of minima's headers, at most 1; 4 lines in all, at most 3; ");
}

}  // namespace
}  // namespace structure::header_budget_test
