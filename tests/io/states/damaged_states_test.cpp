#include <minima/io/states/saved_state.h>
#include <minima/io/states/state_folder.h>
#include <minima/io/states/state_index.h>
#include <minima/tensor/base/error.h>

#include "tests/io/states/ranks.h"
#include "tests/support/temporary_folder.h"

#include <filesystem>
#include <functional>

namespace minima::damaged_states_test {
namespace {

namespace fs = std::filesystem;
using detail::StateIndex;
using test::content_of;
using test::message_of;
using test::TemporaryFolder;

constexpr const char* rank_0 = "rank-00000-of-00002.safetensors";
constexpr const char* rank_1 = "rank-00001-of-00002.safetensors";

void flip_bit(const std::string& path, std::size_t at) {
  std::string bytes = content_of(path);
  bytes.at(at) = static_cast<char>(bytes.at(at) ^ 4);
  std::ofstream(path, std::ios::binary) << bytes;
}

/// States of steps 1 and 2 by two ranks, of which the second is damaged; all ranks must load the first.
void expect_skipped(const std::function<void(const std::string& state, const std::string& other)>& damage,
                    const std::string& reason) {
  const TemporaryFolder folder;
  test::run_ranks(2, [&](int rank, const auto& board) {
    StateFolder states(folder.path(), {}, board);
    for (const int step : {1, 2}) states.save(step, test::parts_of(step, rank, 2));
  });
  damage(folder / "step-0000000002", folder / "step-0000000001");
  testing::internal::CaptureStderr();
  test::run_ranks(3, [&](int, const auto& board) {
    StateFolder states(folder.path(), {}, board);
    const auto found = states.load_newest();
    ASSERT_TRUE(found);
    test::expect_state(found->state, 1, 2);
    ASSERT_EQ(found->skipped.size(), 1u);
    EXPECT_EQ(found->skipped[0].path, folder / "step-0000000002");
    EXPECT_CONTAINS(found->skipped[0].reason, reason);
    EXPECT_CONTAINS(message_of<FormatError>([&] { states.load(2); }), reason);
  });
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_CONTAINS(told, "resuming from " + folder / "step-0000000001" + ", because this state cannot be read: ");
}

TEST(DamagedStates, AreNamedAndTheOneBeforeIsLoaded) {
  const auto in = [](const std::string& state, const char* file) { return state + "/" + file; };
  expect_skipped([&](auto& s, auto&) { fs::resize_file(in(s, rank_1), fs::file_size(in(s, rank_1)) - 5); },
                 "truncated");
  expect_skipped([&](auto& s, auto&) { fs::resize_file(in(s, rank_0), 0); }, "has 0 bytes, but the index says");
  expect_skipped([&](auto& s, auto&) { flip_bit(in(s, rank_0), fs::file_size(in(s, rank_0)) - 1); },
                 std::string(rank_0) + ": byte ");
  expect_skipped([&](auto& s, auto&) { flip_bit(in(s, rank_1), fs::file_size(in(s, rank_1)) - 1); },
                 "does not match: its data are corrupt");
  expect_skipped([&](auto& s, auto&) { flip_bit(in(s, rank_1), 100); }, rank_1);
  expect_skipped([&](auto& s, auto&) { flip_bit(in(s, "index.json"), 40); },
                 "the checksum of the index does not match");
  expect_skipped([&](auto& s, auto&) { fs::resize_file(in(s, "index.json"), 60); }, "it is incomplete");
  expect_skipped([&](auto& s, auto&) { fs::remove(in(s, "index.json")); }, "index.json: cannot open for reading");
  expect_skipped([&](auto& s, auto&) { fs::remove(in(s, rank_1)); }, "No such file or directory");
  const auto overwrite = fs::copy_options::overwrite_existing;
  expect_skipped(
      [&](auto& s, auto& other) {
        fs::copy_file(in(other, rank_0), in(s, rank_0), overwrite);  // of the same size
      },
      "the file belongs to another save (step 1), not to this one of step 2");
  expect_skipped(
      [&](auto& s, auto&) {
        fs::rename(in(s, rank_0), in(s, "x"));
        fs::rename(in(s, rank_1), in(s, rank_0));
        fs::rename(in(s, "x"), in(s, rank_1));
      },
      "but the index says");
}

TEST(DamagedStates, SwappedAndDuplicatedFilesOfEqualSizeAreNoticed) {
  for (const bool swap : {true, false}) {
    const TemporaryFolder folder;
    test::run_ranks(2, [&](int rank, const auto& board) {
      StateParts parts;
      parts.pieces.push_back({"w", {2, 100}, 100 * rank, full({100}, rank)});
      StateFolder(folder.path(), {}, board).save(1, parts);
    });
    const std::string a = folder / "step-0000000001/" + rank_0, b = folder / "step-0000000001/" + rank_1;
    const std::string first = content_of(a);
    ASSERT_EQ(first.size(), content_of(b).size()) << "else the size gives it away";
    if (swap) fs::rename(b, a);
    std::ofstream(b, std::ios::binary) << first;
    EXPECT_CONTAINS(message_of<FormatError>([&] { SavedState::open(folder / "latest"); }),
                    swap ? "was written by rank 1 of 2, but stands for rank 0 of 2: files were swapped"
                         : "was written by rank 0 of 2, but stands for rank 1 of 2");
  }
}

TEST(DamagedStates, AFolderWithNothingElseSaysWhy) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "step-0000000004");
  folder.file("step-0000000003.safetensors", "no such format");
  folder.file("step-x", "");
  fs::create_directory(folder / "step-0000000002.1");  // no name of a state
  StateFolder states(folder.path());
  EXPECT_EQ(states.steps(), (std::vector<std::int64_t>{3, 4}));
  const std::string text = message_of<FormatError>([&] { states.load_newest(); });
  EXPECT_CONTAINS(text, "none of its 2 states can be read:");
  EXPECT_CONTAINS(text, "step-0000000004/index.json: cannot open for reading");
  EXPECT_CONTAINS(text, "step-0000000003.safetensors: ");
}

TEST(DamagedStates, EveryBitOfAnIndexCounts) {
  StateIndex index;
  index.id = "0123456789abcdef";
  index.step = 5;
  index.time = "2026-11-28T23:59:59Z";
  index.metric = 0.5;
  index.files = {{"rank-00000-of-00001.safetensors", 1234, 0xdeadbeef}};
  index.values.set_text("a", "b\n\"ü\"");
  const std::string text = index.text();
  const StateIndex back = StateIndex::parse(text, "index");
  EXPECT_EQ(back.text(), text);
  EXPECT_EQ(back.files[0].start_crc, 0xdeadbeefu);
  EXPECT_EQ(back.values.text("a"), "b\n\"ü\"");
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string other = text;
    other[at] = static_cast<char>(other[at] ^ 1);
    EXPECT_THROW(StateIndex::parse(other, "index"), FormatError) << at;
    EXPECT_THROW(StateIndex::parse(text.substr(0, at), "index"), FormatError) << at;
  }
}

TEST(SavedState, ReadsSlicesAndPatternsAndSaysWhatIsMissing) {
  const TemporaryFolder folder;
  test::run_ranks(3, [&](int rank, const auto& board) {
    StateFolder(folder.path(), {}, board).save(4, test::parts_of(4, rank, 3));
  });
  const SavedState saved = SavedState::open(folder / "latest");
  const Tensor columns = transpose(full({3, 2}, -1, {.dtype = DType::int64}), 0, 1);  // not contiguous
  saved.read("shared.rows", columns, 5);
  EXPECT_EQ(columns.to_vector<float>(), (std::vector<float>{14, 16, 18, 20, 22, 24}));
  EXPECT_CONTAINS(message_of<ValueError>([&] { saved.read("shared.rows", empty({4}), 18); }),
                  "tensor shared.rows [7, 3] has 21 elements, but 4 from element 18 on were asked for");
  EXPECT_CONTAINS(message_of<ValueError>([&] { saved.read("nothing", empty({4})); }), "no tensor nothing among 10");
  const auto names = [&](const char* pattern) {
    std::string all;
    for (const auto& [name, tensor] : saved.matching(pattern).tensors()) all += name + " ";
    return all;
  };
  EXPECT_EQ(names("shared.*"), "shared.rows shared.tiny ");
  EXPECT_EQ(names("*.?a?*"), "model.half model.large ");
  EXPECT_EQ(names("*l*t"), "last ");
  EXPECT_EQ(names("none*"), "");
  EXPECT_EQ(saved.replicated("config").text("name"), "ä \"quoted\"");
  EXPECT_EQ(saved.replicated("model").tensors().size(), 6u);
  saved.verify();
  EXPECT_GT(saved.bytes(), 1'080'000u);
}

}  // namespace
}  // namespace minima::damaged_states_test
