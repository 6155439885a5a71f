#include <minima/data/loader.h>
#include <minima/data/mixed_streams.h>
#include <minima/data/tar_index.h>
#include <minima/data/tar_shards.h>
#include <minima/io/safetensors.h>
#include <minima/io/tar.h>
#include <minima/tensor/error.h>
#include <minima/tensor/format.h>

#include "tests/data/tar_builder.h"
#include "tests/support/temporary_folder.h"

#include <set>
#include <zlib.h>

namespace minima::data {
namespace {

using test::content_of;
using test::message_of;
using test::tar_end;
using test::tar_file;
using test::tar_header;
using test::TemporaryFolder;

std::string gzip(const std::string& text) {
  z_stream stream{};
  ::deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(::deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  ::deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

/// Name and content of every file in an archive.
std::vector<std::pair<std::string, std::string>> files_of(const std::string& archive) {
  const auto source = open_bytes(std::as_bytes(std::span(archive.data(), archive.size())), "a.tar");
  TarReader tar(*source, "a.tar");
  TarReader::Entry entry;
  std::vector<std::pair<std::string, std::string>> files;
  while (tar.next(entry)) {
    std::string content;
    if (files.size() % 3 != 2) tar.read(entry, content);  // some are passed over
    files.emplace_back(entry.name, content);
  }
  return files;
}

TEST(TarReader, ReadsNamesOfAllKinds) {
  const std::string long_name = "deep/" + std::string(150, 'x') + ".txt";
  std::string archive = tar_file("dir/", "", '5') + tar_file("a.txt", "hello") + tar_file("link", "", '2') +
                        tar_file("././@LongLink", long_name + '\0', 'L') + tar_file("cut", "long") +
                        tar_file("pax", str(long_name.size() + 10, " path=", long_name, "\n"), 'x') + tar_file("cut", std::string(600, 'p')) +
                        tar_file("g", "20 comment=whatever\n", 'g') + tar_file("empty", "") + tar_end() + "after the end";
  std::string prefixed = tar_header("name", 3);
  const auto files = files_of(archive);
  ASSERT_EQ(files.size(), 4u);
  EXPECT_EQ(files[0], (std::pair<std::string, std::string>("a.txt", "hello")));
  EXPECT_EQ(files[1], (std::pair<std::string, std::string>(long_name, "long")));
  EXPECT_EQ(files[2].first, long_name);
  EXPECT_EQ(files[3], (std::pair<std::string, std::string>("empty", "")));
  EXPECT_EQ(files_of(gzip(archive)), files);
  EXPECT_TRUE(files_of("").empty());
}

TEST(TarReader, RefusesWhatIsBroken) {
  const std::string good = tar_file("a.txt", std::string(1000, 'a')) + tar_end();
  const auto message = [](const std::string& archive) { return message_of<FormatError>([&] { files_of(archive); }); };
  EXPECT_CONTAINS(message(good.substr(0, 700)), "a.tar: byte 700: the archive ends inside a.txt");
  EXPECT_CONTAINS(message(good.substr(0, 300)), "ends inside a header");
  std::string bad = good;
  bad[3] = 'X';
  EXPECT_CONTAINS(message(bad), "a.tar: byte 0: not a tar header: its check sum is wrong");
  EXPECT_CONTAINS(message(tar_header("huge", 077777777777) + "x"), "huge has 8589934591 bytes, at most 2147483648 are read");
  EXPECT_CONTAINS(message(tar_header("large", 1 << 30) + "x"), "ends inside large") << "no gigabyte is asked for before it is there";
  EXPECT_CONTAINS(message(tar_file("pax", "99 path=x\n", 'x')), "broken pax header");
  EXPECT_CONTAINS(message(tar_file("pax", "11 size=-5\n", 'x') + tar_file("a", "b")), "broken pax header");
  EXPECT_CONTAINS(message(tar_header("x", 1 << 22, 'L')), "extended header of 4194304 bytes");
  EXPECT_CONTAINS(message(gzip(good).substr(0, 40)), "cut off");
}

TEST(ExpandBraces, CountsAndChooses) {
  using Paths = std::vector<std::string>;
  EXPECT_EQ(expand_braces("plain.tar"), (Paths{"plain.tar"}));
  EXPECT_EQ(expand_braces("t-{008..011}.tar"), (Paths{"t-008.tar", "t-009.tar", "t-010.tar", "t-011.tar"}));
  EXPECT_EQ(expand_braces("{a,b}/{0..1}"), (Paths{"a/0", "a/1", "b/0", "b/1"}));
  for (const char* bad : {"a{0..2", "a}b", "{0..x}", "{5..2}", "{{0..1}}", "{0..99999999999}", "{0..9999}{0..9999}", "{-1..2}"})
    EXPECT_THROW(expand_braces(bad), ValueError) << bad;
}

/// Shards of five samples with a number in `cls` and a text.
std::string shards(const TemporaryFolder& folder, int count) {
  for (int s = 0; s < count; ++s) {
    std::string archive;
    for (int i = 5 * s; i < 5 * s + 5; ++i) archive += tar_file(str("x/", i, ".cls"), str(i, "\n")) + tar_file(str("x/", i, ".info.txt"), str("sample ", i));
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

TEST(TarShards, ShufflesAndResumesAnywhere) {
  const TemporaryFolder folder;
  const std::string pattern = shards(folder, 4);
  for (const ShardOptions options : {ShardOptions{.shuffle = true}, ShardOptions{.shuffle = true, .shuffle_buffer = 6}}) {
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
  EXPECT_CONTAINS(message_of<FormatError>([&] { collect(loader); }), folder / "s-0.tar: byte 2562: the archive ends before");
  DataLoader missing(numbers(folder / "none.tar"), {});
  EXPECT_THROW(collect(missing), FileError);
  EXPECT_CONTAINS(message_of<FormatError>([] { TarSample{"k", {{"a", ""}, {"b", ""}}}.at("c"); }), "k: there is no .c, only a, b");
}

TEST(IndexedTar, GivesSamplesByIndex) {
  const TemporaryFolder folder;
  shards(folder, 3);
  const IndexedTar dataset(std::vector<std::string>{folder / "s-0.tar", folder / "s-2.tar"});
  ASSERT_EQ(dataset.size(), 10);
  EXPECT_EQ(dataset.get(7).at("info.txt"), "sample 12");
  EXPECT_EQ(dataset.describe(7), folder / "s-2.tar: x/12");
  EXPECT_THROW(dataset.get(10), IndexError);
  EXPECT_CONTAINS(message_of<FormatError>([&] { IndexedTar(folder / "s-1.tar"); }), "compressed shards are read as a stream only");
}

TEST(IndexedTar, KeepsAnIndexBesideTheShard) {
  const TemporaryFolder folder;
  shards(folder, 1);
  const std::string path = folder / "s-0.tar", index = path + ".index";
  const auto contents = [&] {
    const IndexedTar dataset(std::vector<std::string>{path}, {.keep = true});
    std::vector<std::string> all;
    for (std::int64_t i = 0; i < dataset.size(); ++i) all.push_back(dataset.describe(i) + dataset.get(i).at("info.txt"));
    return all;
  };
  IndexedTar(std::vector<std::string>{path});
  EXPECT_EQ(folder.names().size(), 1u) << "nothing is written without being asked for";
  const auto first = contents();
  ASSERT_EQ(first.size(), 5u);
  EXPECT_EQ(folder.names().size(), 2u);
  // With the headers gone, only the index can know where the contents are.
  const auto written = std::filesystem::last_write_time(path);
  std::string archive = content_of(path);
  for (std::size_t at = 0; at + 512 <= archive.size(); at += 512)
    if (archive.compare(at + 257, 5, "ustar") == 0) archive.replace(at, 512, std::string(512, 'x'));
  folder.file("s-0.tar", archive);
  std::filesystem::last_write_time(path, written);
  EXPECT_EQ(contents(), first);

  folder.file("s-0.tar", tar_file("x/9.cls", "9") + tar_file("x/9.info.txt", "new") + tar_end());
  EXPECT_EQ(contents(), (std::vector<std::string>{path + ": x/9new"})) << "an index of an archive that has changed is no use";
  const std::string good = content_of(index);
  folder.file("s-0.tar.index", good.substr(0, good.size() / 2));
  EXPECT_THROW(contents(), FormatError);
  folder.file("s-0.tar.index", "");
  EXPECT_THROW(contents(), FormatError);
}

TEST(IndexedTar, AnIndexThatPointsOutsideIsRefused) {
  const TemporaryFolder folder;
  const auto read = [&](std::vector<std::int64_t> data, std::vector<std::int64_t> size, std::vector<std::int64_t> name_end) {
    State state;
    state.set_text("archive", "m");
    const auto add = [&](const char* name, const std::vector<std::int64_t>& v) { state.add(name, from_vector(v, {static_cast<std::int64_t>(v.size())})); };
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
  EXPECT_EQ(read({512, 0}, {488, 1000}, {1, 3}), 2u);
  EXPECT_THROW(read({512, 0}, {489, 1000}, {1, 3}), FormatError);
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
  EXPECT_CONTAINS(message_of<FormatError>([] { labelled_image({"k", {{"jpg", "x"}, {"cls", "4a"}}}); }), "k.cls: byte 0: not a number");
  EXPECT_THROW(labelled_image({"k", {{"cls", "4"}}}), FormatError);
}

#ifdef MINIMA_HAVE_ZSTD
TEST(Zstd, InflatesAndRefusesWhatIsCutOff) {
  // `printf 'hello hello hello hello\n' | zstd -19`
  const unsigned char bytes[] = {0x28, 0xb5, 0x2f, 0xfd, 0x24, 0x18, 0xc1, 0x00, 0x00, 'h', 'e', 'l', 'l', 'o', ' ', 'h',
                                 'e',  'l',  'l',  'o',  ' ',  'h',  'e',  'l',  'l',  'o', ' ', 'h', 'e', 'l', 'l', 'o', '\n', 0, 0, 0, 0};
  const auto whole = std::as_bytes(std::span(bytes, 33));
  char text[100];
  // A raw block of 24 bytes; its check sum is missing, so this is a file that was cut off.
  EXPECT_CONTAINS(message_of<FormatError>([&] { open_bytes(whole, "a.zst")->read(text, sizeof text); }), "a.zst: byte 33: zstd: ");
  unsigned char unchecked[33];
  std::copy_n(bytes, 33, unchecked);
  unchecked[4] = 0x20;  // without a check sum
  const auto good = open_bytes(std::as_bytes(std::span(unchecked)), "a.zst");
  ASSERT_EQ(good->read(text, sizeof text), 24u);
  EXPECT_EQ(std::string(text, 24), "hello hello hello hello\n");
  EXPECT_EQ(good->read(text, 1), 0u);
}
#endif

}  // namespace
}  // namespace minima::data
