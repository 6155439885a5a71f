#include <minima/io/states/state_folder.h>
#include <minima/io/tensors/safetensors.h>

#include "tests/io/states/ranks.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

#include <filesystem>

namespace minima::checkpoint_tool_test {
namespace {

using test::Outcome;
using test::TemporaryFolder;

Outcome run(const std::string& arguments) {
  return test::run_program("'" MINIMA_CHECKPOINT "' " + arguments + " 2>&1");
}

/// States of steps 1 and 2, the second by other ranks.
void save_two(const TemporaryFolder& folder) {
  for (const int step : {1, 2})
    test::run_ranks(step, [&](int rank, const auto& board) {
      StateFolder(folder.path(), {}, board)
          .save(step, test::parts_of(step, rank, step), {.synchronous = true, .metric = 0.5});
    });
}

TEST(CheckpointTool, ListsFoldersAndStates) {
  const TemporaryFolder folder;
  save_two(folder);
  const Outcome all = run("ls " + folder.path());
  EXPECT_EQ(all.code, 0);
  EXPECT_CONTAINS(all.output, folder / "step-0000000001" + "  step 1, 1 rank, 10 tensors, 1.0 MiB, metric 0.5, 20");
  EXPECT_CONTAINS(all.output, "step 2, 2 ranks, 10 tensors, 1.0 MiB, metric 0.5, 20");
  EXPECT_EQ(all.output.find("latest"), all.output.size() - 7);
  const Outcome one = run("ls " + folder / "latest");
  for (const char* line :
       {"\n  model.large  float32 [450, 600]\n", "\n  shared.tiny  float64 [2]\n", "\n  config.name = ä \"quoted\"\n",
        "\n  rank.1.seed = 1001\n", "  rank.0.noise  float32 [2]\n"})
    EXPECT_CONTAINS(one.output, line);
}

TEST(CheckpointTool, VerifiesAndNamesDamage) {
  const TemporaryFolder folder;
  save_two(folder);
  const Outcome good = run("verify " + folder.path());
  EXPECT_EQ(good.code, 0);
  EXPECT_EQ(good.output, folder / "step-0000000001" + ": good\n" + folder / "step-0000000002" + ": good\n");
  const std::string file = folder / "step-0000000002/rank-00001-of-00002.safetensors";
  std::string bytes = test::content_of(file);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  std::ofstream(file, std::ios::binary) << bytes;
  const Outcome bad = run("verify " + folder.path());
  EXPECT_EQ(bad.code, 1);
  EXPECT_CONTAINS(bad.output, folder / "step-0000000001" + ": good\n");
  EXPECT_CONTAINS(bad.output, folder / "step-0000000002" + ": damaged: " + file + ": byte ");
  EXPECT_EQ(run("verify " + folder / "step-0000000002 " + folder / "none").code, 2);
}

TEST(CheckpointTool, MergesToOneFileOrAPartOfIt) {
  const TemporaryFolder folder;
  save_two(folder);
  EXPECT_EQ(run("merge " + folder / "latest " + folder / "whole.safetensors").output, "");
  const SavedState merged = SavedState::open(folder / "whole.safetensors");
  EXPECT_EQ(merged.step(), 2);
  EXPECT_TRUE(test::equal(merged.replicated().tensor("model.large"), test::whole_state(2).tensor("model.large")));
  EXPECT_TRUE(test::equal(merged.replicated().tensor("shared.rows"), test::shared_rows(2)));
  EXPECT_EQ(merged.own(1)->integer("seed"), 1001);
  EXPECT_EQ(run("diff " + folder / "latest " + folder / "whole.safetensors").output, "");

  EXPECT_EQ(run("merge " + folder / "latest " + folder / "model.safetensors --part model").code, 0);
  const State model = read_safetensors(folder / "model.safetensors");
  EXPECT_EQ(model.tensors().size(), 6u);
  EXPECT_TRUE(test::equal(model.tensor("turned"), test::whole_state(2).tensor("model.turned")));
  const Outcome none = run("merge " + folder / "latest " + folder / "x.safetensors --part other");
  EXPECT_EQ(none.code, 2);
  EXPECT_CONTAINS(none.output, "has nothing called other.*");
}

TEST(CheckpointTool, DiffSaysWhatDiffersAndByHowMuch) {
  const TemporaryFolder folder;
  save_two(folder);
  const std::string pair = "diff " + folder / "step-0000000001 " + folder / "step-0000000002 ";
  const Outcome all = run(pair);
  EXPECT_EQ(all.code, 1);
  for (const char* line :
       {"  step  1 and 2\n", "  model.large  float32 [450, 600]: 270000 of 270000 elements differ, by at most 1\n",
        "  count  int64 [2]: 1 of 2 elements differ, by at most 1\n", "  step  \"1\" and \"2\"\n",
        "  rank.1.seed  only in the second\n", "  rank.1.noise  only in the second\n"})
    EXPECT_CONTAINS(all.output, line);
  EXPECT_EQ(all.output.find("model.empty"), std::string::npos);
  const Outcome rest = run(pair + "--ignore 'model.*' --ignore 'rank.?.*' --ignore step --ignore 'shared.*'");
  EXPECT_EQ(rest.output, "  count  int64 [2]: 1 of 2 elements differ, by at most 1\n");
  EXPECT_EQ(run(pair + "--ignore '*'").code, 0);
}

TEST(CheckpointTool, ExplainsWrongArguments) {
  EXPECT_EQ(run("--help").code, 0);
  for (const char* wrong : {"", "show x", "ls", "merge x", "diff a b c", "ls --part x y", "diff a b --ignore"})
    EXPECT_EQ(run(wrong).code, 2) << wrong;
  EXPECT_CONTAINS(run("ls /nowhere").output, "minima-checkpoint: /nowhere: cannot open for reading");
}

}  // namespace
}  // namespace minima::checkpoint_tool_test
