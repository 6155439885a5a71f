#include <minima/data/datasets/mixed_streams.h>
#include <minima/data/datasets/tar_index.h>
#include <minima/data/datasets/tar_shards.h>
#include <minima/data/loader/loader.h>
#include <minima/io/archives/inflate.h>
#include <minima/io/tensors/safetensors.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include "tests/data/datasets/tar_builder.h"
#include "tests/support/temporary_folder.h"

#include <set>

namespace minima::data::tar_test {
namespace {

using minima::test::content_of;
using minima::test::gzip;
using minima::test::message_of;
using minima::test::tar_end;
using minima::test::tar_file;
using minima::test::tar_header;
using minima::test::TemporaryFolder;

#ifdef MINIMA_HAVE_ZSTD
/// A zstd frame (RFC 8878) of raw blocks.
std::string zstd(const std::string& text) {
  std::string out("\x28\xb5\x2f\xfd\xa0", 5);  // one segment, its size in four bytes
  const auto number = [&](std::size_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> 8 * i);
  };
  number(text.size(), 4);
  for (std::size_t at = 0; at == 0 || at < text.size(); at += 1 << 16) {
    const std::string block = text.substr(at, 1 << 16);
    number(block.size() << 3 | (at + block.size() == text.size()), 3);
    out += block;
  }
  return out;
}
#endif

TEST(ExpandBraces, CountsAndChooses) {
  using Paths = std::vector<std::string>;
  EXPECT_EQ(expand_braces("plain.tar"), (Paths{"plain.tar"}));
  EXPECT_EQ(expand_braces("t-{008..011}.tar"), (Paths{"t-008.tar", "t-009.tar", "t-010.tar", "t-011.tar"}));
  EXPECT_EQ(expand_braces("{a,b}/{0..1}"), (Paths{"a/0", "a/1", "b/0", "b/1"}));
  for (const char* bad :
       {"a{0..2", "a}b", "{0..x}", "{5..2}", "{{0..1}}", "{0..99999999999}", "{0..9999}{0..9999}", "{-1..2}"})
    EXPECT_THROW(expand_braces(bad), ValueError) << bad;
}

/// Shards of five samples with a number in `cls` and a text.
std::string shards(const TemporaryFolder& folder, int count) {
  for (int s = 0; s < count; ++s) {
    std::string archive;
    for (int i = 5 * s; i < 5 * s + 5; ++i)
      archive += tar_file(str("x/", i, ".cls"), str(i, "\n")) + tar_file(str("x/", i, ".info.txt"), str("sample ", i));
    archive += tar_end();
    folder.file(str("s-", s, ".tar"), s % 2 ? gzip(archive) : archive);
  }
  return folder / str("s-{0..", count - 1, "}.tar");
}

auto numbers(const std::string& pattern, ShardOptions options = {}) {
  return decoded(TarShards(pattern, options), [](TarSample& sample, RandomStream random) {
    EXPECT_EQ(sample.at("info.txt"), "sample " + sample.key.substr(2));
    return std::stoll(sample.at("cls")) * 1000 + random.below(1000);
  });
}

template <class Loader>
std::vector<std::int64_t> collect(Loader& loader) {
  std::vector<std::int64_t> all;
  for (auto& batch : loader) {
    const auto values = batch.template to_vector<std::int64_t>();
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

TEST(TarShards, StreamsSamplesInOrder) {
  const TemporaryFolder folder;
  const std::string pattern = shards(folder, 4);
  std::vector<std::int64_t> first;
  for (const int workers : {0, 1, 4}) {
    DataLoader loader(numbers(pattern), {.batch_size = 3, .workers = workers});
    const auto all = collect(loader);
    ASSERT_EQ(all.size(), 20u);
    for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(all[i] / 1000, static_cast<std::int64_t>(i));
    if (first.empty()) first = all;
    EXPECT_EQ(all, first);
  }
}

// The samples that webdataset's tarfile_to_samples gives.
TEST(TarShards, GroupsFilesAsWebdatasetDoes) {
  const TemporaryFolder folder;
  folder.file("a.tar", tar_file("README", "r") + tar_file(".DS_Store", "d") + tar_file("__meta__", "m") +
                           tar_file("__meta__/1.txt", "m") + tar_file("train/", "", '\0') +
                           tar_file("train/1.JPG", "one") + tar_file("train/LICENSE", "l") +
                           tar_file("train/1.Seg.PNG", "s") + tar_file("train/1.cls", "1") +
                           tar_file("v1.0/2.jpg", "two") + tar_file("v1.0/.hidden", "h") + tar_file("v1.0/2.CLS", "2") +
                           tar_file("train/.x", "3") + tar_file("__4.jpg", "4") + tar_file("5..jpg", "5") + tar_end());
  std::vector<std::string> seen;
  const auto note = [&](const TarSample& sample) {
    std::string text = sample.key + ":";
    for (const auto& [extension, content] : sample.parts) text += " " + extension + "=" + content;
    seen.push_back(text);
  };
  auto stream = TarShards(folder / "a.tar").open({});
  for (TarSample sample; stream.next(sample);) note(sample);
  EXPECT_EQ(seen, (std::vector<std::string>{"train/1: jpg=one seg.png=s cls=1", "v1.0/2: jpg=two cls=2", "train/: x=3",
                                            "__4: jpg=4", "5: .jpg=5"}));
  const auto streamed = std::exchange(seen, {});
  const IndexedTar indexed(folder / "a.tar");
  for (std::int64_t i = 0; i < indexed.size(); ++i) note(indexed.get(i));
  EXPECT_EQ(seen, streamed);
}

TEST(TarShards, TwoFilesOfOneNameAreAnError) {
  const TemporaryFolder folder;
  folder.file("a.tar", tar_file("1.jpg", "a") + tar_file("1.cls", "1") + tar_file("1.JPG", "b") + tar_end());
  const auto message = [&](auto&& read) { return message_of<FormatError>(read); };
  EXPECT_CONTAINS(message([&] {
                    auto stream = TarShards(folder / "a.tar").open({});
                    for (TarSample sample; stream.next(sample);) {}
                  }),
                  "a.tar: byte 2560: sample 1 has two files .jpg");
  EXPECT_CONTAINS(message([&] { IndexedTar(folder / "a.tar"); }), "a.tar: byte 2560: sample 1 has two files .jpg");
}

TEST(TarShards, ShufflesAndResumesAnywhere) {
  const TemporaryFolder folder;
  const std::string pattern = shards(folder, 4);
  for (const ShardOptions options :
       {ShardOptions{.shuffle = true}, ShardOptions{.shuffle = true, .shuffle_buffer = 6}}) {
    DataLoader straight(numbers(pattern, options), {.batch_size = 3, .seed = 2});
    std::vector<std::int64_t> expected = collect(straight);
    std::set<std::int64_t> unique;
    for (const std::int64_t value : expected) unique.insert(value / 1000);
    EXPECT_EQ(unique.size(), 20u);
    EXPECT_NE(expected[0] / 1000 * 19, 0 * expected[19]) << "another order than the files'";
    const auto second = collect(straight);
    EXPECT_NE(second, expected);
    for (int stop = 1; stop < 7; ++stop) {
      DataLoader a(numbers(pattern, options), {.batch_size = 3, .workers = 2, .seed = 2});
      std::vector<std::int64_t> seen;
      State state;
      int batches = 0;
      for (auto& batch : a) {
        for (const std::int64_t v : batch.to_vector<std::int64_t>()) seen.push_back(v);
        if (++batches == stop) {
          state = a.state_dict();
          break;
        }
      }
      DataLoader b(numbers(pattern, options), {.batch_size = 3, .workers = 1});
      b.load_state_dict(state);
      for (const std::int64_t v : collect(b)) seen.push_back(v);
      EXPECT_EQ(seen, expected) << stop;
    }
  }
}

TEST(TarShards, BrokenShardsAreTold) {
  const TemporaryFolder folder;
  const std::string pattern = shards(folder, 2);
  folder.file("s-0.tar", content_of(folder / "s-0.tar").substr(0, 3000));
  DataLoader loader(numbers(pattern), {.batch_size = 3, .workers = 1});
  EXPECT_CONTAINS(message_of<FormatError>([&] { collect(loader); }),
                  folder / "s-0.tar: byte 2562: the archive ends before");
  DataLoader missing(numbers(folder / "none.tar"), {});
  EXPECT_THROW(collect(missing), FileError);
  EXPECT_CONTAINS(message_of<FormatError>([] { TarSample{"k", {{"a", ""}, {"b", ""}}}.at("c"); }),
                  "k: the sample has no .c, only a, b");
}

/// A shard of 100 samples for the tests of damaged archives.
std::string hundred_samples() {
  std::string archive;
  for (int i = 0; i < 100; ++i)
    archive += tar_file(str("x/", i, ".cls"), str(i)) + tar_file(str("x/", i, ".txt"), std::string(600, 'a'));
  return archive + std::string(10240 - archive.size() % 10240, '\0');
}

TEST(TarShards, DamagedShardsAreErrorsAndNotSmaller) {
  const TemporaryFolder folder;
  const std::string whole = hundred_samples();
  const auto read = [&](const std::string& bytes) {
    const std::string path = folder.file("s.tar", bytes);
    DataLoader loader(
        decoded(TarShards(path), [](TarSample& sample, RandomStream) { return std::stoll(sample.at("cls")); }),
        {.batch_size = 10});
    const std::size_t streamed = collect(loader).size();
    EXPECT_EQ(IndexedTar(path).size(), static_cast<std::int64_t>(streamed));
    return streamed;
  };
  EXPECT_EQ(read(whole), 100u);
  constexpr std::size_t sample_bytes = 2560;  // two headers, one block and two
  std::string zeroed = whole, zeroed_page = whole;
  zeroed.replace(30 * sample_bytes, 512, 512, '\0');
  zeroed_page.replace(102400, 4096, 4096, '\0');
  for (const std::string& damaged : {whole.substr(0, 60 * sample_bytes), std::string(), zeroed, zeroed_page}) {
    const std::string path = folder.file("s.tar", damaged);
    const std::string place = path + ": byte ";
    EXPECT_CONTAINS(message_of<FormatError>([&] { IndexedTar{path}; }), place);
    std::vector<std::string> names{path, folder.file("s.tar.gz", gzip(damaged))};
#ifdef MINIMA_HAVE_ZSTD
    names.push_back(folder.file("s.tar.zst", zstd(damaged)));
#endif
    for (const std::string& name : names) {
      DataLoader loader(
          decoded(TarShards(name), [](TarSample& sample, RandomStream) { return std::stoll(sample.at("cls")); }),
          {.batch_size = 10});
      EXPECT_CONTAINS(message_of<FormatError>([&] { collect(loader); }), name + ": byte ");
    }
  }
}

TEST(TarShards, ASampleHasALimitAndNotOnlyItsFiles) {
  const TemporaryFolder folder;
  std::string archive;
  for (int i = 0; i < 20; ++i) archive += tar_file(str("x/1.", i), std::string(100'000, 'x'));
  const std::string path = folder.file("s.tar.gz", gzip(archive + tar_end()));
  const auto read = [&](const std::string& shard, ShardOptions options) {
    TarShards::Stream stream = TarShards(shard, options).open({});
    TarSample sample;
    while (stream.next(sample)) {}
    return sample.parts.size();
  };
  EXPECT_EQ(read(path, {.max_bytes = 2'000'100}), 20u);
  EXPECT_CONTAINS(message_of<FormatError>([&] { read(path, {.max_bytes = 1'000'000}); }),
                  "sample x/1 has 1000010 bytes in its first 10 files; the limit is 1000000 bytes "
                  "(ShardOptions::max_bytes)");
  std::string many;
  for (int i = 0; i < 10'001; ++i) many += tar_header(str("x/1.", i), 0);
  EXPECT_CONTAINS(message_of<FormatError>([&] { read(folder.file("m.tar.gz", gzip(many + tar_end())), {}); }),
                  "in its first 10001 files");
}

TEST(IndexedTar, GivesSamplesByIndex) {
  const TemporaryFolder folder;
  shards(folder, 3);
  const IndexedTar dataset(std::vector<std::string>{folder / "s-0.tar", folder / "s-2.tar"});
  ASSERT_EQ(dataset.size(), 10);
  EXPECT_EQ(dataset.get(7).at("info.txt"), "sample 12");
  EXPECT_EQ(dataset.describe(7), folder / "s-2.tar: x/12");
  EXPECT_THROW(dataset.get(10), IndexError);
  EXPECT_CONTAINS(message_of<FormatError>([&] { IndexedTar(folder / "s-1.tar"); }),
                  "IndexedTar cannot read compressed shards");
}

TEST(IndexedTar, KeepsAnIndexBesideTheShard) {
  const TemporaryFolder folder;
  shards(folder, 1);
  const std::string path = folder / "s-0.tar", index = path + ".index";
  const auto contents = [&] {
    const IndexedTar dataset(std::vector<std::string>{path}, {.keep = true});
    std::vector<std::string> all;
    for (std::int64_t i = 0; i < dataset.size(); ++i)
      all.push_back(dataset.describe(i) + dataset.get(i).at("info.txt"));
    return all;
  };
  IndexedTar(std::vector<std::string>{path});
  EXPECT_EQ(folder.names().size(), 1u) << "nothing is written without being asked for";
  const auto first = contents();
  ASSERT_EQ(first.size(), 5u);
  EXPECT_EQ(folder.names().size(), 2u);
  // Without the headers, only the index has the positions of the contents.
  const auto written = std::filesystem::last_write_time(path);
  std::string archive = content_of(path);
  for (std::size_t at = 0; at + 512 <= archive.size(); at += 512)
    if (archive.compare(at + 257, 5, "ustar") == 0) archive.replace(at, 512, std::string(512, 'x'));
  folder.file("s-0.tar", archive);
  std::filesystem::last_write_time(path, written);
  EXPECT_EQ(contents(), first);

  folder.file("s-0.tar", tar_file("x/9.cls", "9") + tar_file("x/9.info.txt", "new") + tar_end());
  EXPECT_EQ(contents(), (std::vector<std::string>{path + ": x/9new"}))
      << "an index of an archive that has changed is no use";
  const std::string good = content_of(index);
  folder.file("s-0.tar.index", good.substr(0, good.size() / 2));
  EXPECT_THROW(contents(), FormatError);
  folder.file("s-0.tar.index", "");
  EXPECT_THROW(contents(), FormatError);
}

TEST(IndexedTar, AnIndexThatPointsOutsideIsRefused) {
  const TemporaryFolder folder;
  const auto read = [&](std::vector<std::int64_t> data, std::vector<std::int64_t> size,
                        std::vector<std::int64_t> name_end) {
    State state;
    state.set_text("archive", "m");
    const auto add = [&](const char* name, const std::vector<std::int64_t>& v) {
      state.add(name, from_vector(v, {static_cast<std::int64_t>(v.size())}));
    };
    add("data", data);
    add("size", size);
    add("name_end", name_end);
    state.add("names", from_vector(std::vector<std::uint8_t>{'a', 'b', 'c'}, {3}));
    write_safetensors(folder / "i", state);
    detail::TarIndex index;
    EXPECT_FALSE(detail::read_tar_index(folder / "i", "another", 1000, index));
    EXPECT_TRUE(detail::read_tar_index(folder / "i", "m", 1000, index));
    return index.files.size();
  };
  EXPECT_EQ(read({0, 512}, {512, 488}, {1, 3}), 2u);
  EXPECT_THROW(read({512, 0}, {488, 1000}, {1, 3}), FormatError) << "files that overlap would be read twice";
  EXPECT_THROW(read({0, 512}, {512, 489}, {1, 3}), FormatError);
  EXPECT_THROW(read({-1, 0}, {0, 0}, {1, 3}), FormatError);
  EXPECT_THROW(read({0, 0}, {0, -1}, {1, 3}), FormatError);
  EXPECT_THROW(read({0, 0}, {0, 0}, {1, 4}), FormatError);
  EXPECT_THROW(read({0, 0}, {0, 0}, {2, 1}), FormatError);
  EXPECT_THROW(read({0, 0}, {0}, {1, 2}), FormatError);
}

TEST(MixedStreams, HasTheSharesAndBeginsStreamsAnew) {
  const TemporaryFolder folder;
  shards(folder, 2);
  const auto part = [&](int i) { return numbers(folder / str("s-", i, ".tar")); };
  const MixedStreams mixed(std::vector{part(0), part(1)}, {3, 1}, 24);
  std::vector<std::vector<std::int64_t>> runs;
  for (const int workers : {0, 3}) {
    DataLoader loader(mixed, {.batch_size = 4, .workers = workers, .seed = 6});
    runs.push_back(collect(loader));
  }
  EXPECT_EQ(runs[1], runs[0]);
  ASSERT_EQ(runs[0].size(), 24u);
  std::map<std::int64_t, int> seen;
  int first = 0;
  for (std::size_t i = 0; i < 24; ++i) {
    const std::int64_t sample = runs[0][i] / 1000;
    ++seen[sample];
    first += sample < 5;
    EXPECT_NEAR(first, 0.75 * static_cast<double>(i + 1), 1.01);
  }
  for (std::int64_t i = 0; i < 5; ++i) EXPECT_GE(seen[i], 3) << "18 of 5 samples";
  DataLoader empty(MixedStreams(std::vector{part(0), numbers(folder.file("e.tar", tar_end()))}, {1, 1}, 4), {});
  EXPECT_CONTAINS(message_of<ValueError>([&] { collect(empty); }), "stream 1 has no records");
  EXPECT_THROW(MixedStreams(std::vector{part(0)}, {1, 1}, 4), ValueError);
}

TEST(LabelledImageOfShard, NeedsImageAndNumber) {
  EXPECT_CONTAINS(message_of<FormatError>([] { labelled_image({"k", {{"jpg", "x"}, {"cls", "4a"}}}); }),
                  "k.cls: byte 0: not a number");
  EXPECT_THROW(labelled_image({"k", {{"cls", "4"}}}), FormatError);
}

#ifdef MINIMA_HAVE_ZSTD
TEST(Zstd, InflatesAndRefusesWhatIsCutOff) {
  // `printf 'hello hello hello hello\n' | zstd -19`
  const unsigned char bytes[] = {0x28, 0xb5, 0x2f, 0xfd, 0x24, 0x18, 0xc1, 0x00, 0x00, 'h', 'e', 'l', 'l',
                                 'o',  ' ',  'h',  'e',  'l',  'l',  'o',  ' ',  'h',  'e', 'l', 'l', 'o',
                                 ' ',  'h',  'e',  'l',  'l',  'o',  '\n', 0,    0,    0,   0};
  const auto whole = std::as_bytes(std::span(bytes, 33));
  char text[100];
  // A raw block of 24 bytes; without its checksum, the file is truncated.
  EXPECT_CONTAINS(message_of<FormatError>([&] { open_bytes(whole, "a.zst")->read(text, sizeof text); }),
                  "a.zst: byte 33: zstd: ");
  unsigned char unchecked[33];
  std::copy_n(bytes, 33, unchecked);
  unchecked[4] = 0x20;  // without a checksum
  const auto good = open_bytes(std::as_bytes(std::span(unchecked)), "a.zst");
  ASSERT_EQ(good->read(text, sizeof text), 24u);
  EXPECT_EQ(std::string(text, 24), "hello hello hello hello\n");
  EXPECT_EQ(good->read(text, 1), 0u);
}
#endif

}  // namespace
}  // namespace minima::data::tar_test
