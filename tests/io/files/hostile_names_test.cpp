#include <minima/io/archives/gzip.h>
#include <minima/io/files/atomic_file.h>
#include <minima/io/files/format_error.h>
#include <minima/io/files/mapped_file.h>
#include <minima/io/state.h>
#include <minima/io/tensors/npy.h>
#include <minima/io/tensors/safetensors.h>
#include <minima/io/text/csv_reader.h>
#include <minima/io/text/json.h>
#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>

#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

// Names that another user or program has chosen reach the terminal in error messages.

namespace minima::detail::hostile_names_test {
namespace {

using test::TemporaryFolder;

const std::string title = "\x1b]0;owned\x07";
const std::vector<std::string> hostile{title, "a\nb", "a\u202eb", "a\u009bb"};

void expect_printable(const std::string& name, const std::function<void()>& call) {
  const std::string message = test::message_of<Error>(call);
  EXPECT_EQ(printable(message), message);
  EXPECT_CONTAINS(message, printable(name));
}

TEST(HostileNames, OfFilesArePrintable) {
  std::vector<std::string> names = hostile;
  names.push_back("a\xff");
  for (const std::string& name : names) {
    const TemporaryFolder folder;
    const std::string path = folder.file(name, "a,b\nnonsense\n");
    expect_printable(name, [&] { read_safetensors(path); });
    expect_printable(name, [&] { read_npz(path); });
    expect_printable(name, [&] { read_npy(path); });
    expect_printable(name, [&] { read_csv(path, {.types = {CsvType::number}}); });
    expect_printable(name, [&] { Json::parse("{", path); });
    expect_printable(name, [&] {
      GzipReader reader(std::as_bytes(std::span(path.data(), path.size())), path);
      char byte;
      reader.read(&byte, 1);
    });
    expect_printable(name, [&] { MappedFile(folder / (name + "none")); });
    std::filesystem::create_directory(folder / (name + ".d"));
    expect_printable(name, [&] { MappedFile(folder / (name + ".d")); });
    expect_printable(name, [&] { write_file(folder / (name + ".d"), ""); });
  }
}

TEST(HostileNames, OfColumnsArePrintable) {
  for (const std::string& name : hostile) {
    const CsvTable table = parse_csv("\"" + name + "\"\n1\n", "table.csv");
    expect_printable(name, [&] { table.column("other"); });
    expect_printable(name, [&] { parse_csv("x\n\"" + name + "\"\n", "table.csv", {.types = {CsvType::number}}); });
  }
}

TEST(HostileNames, OfStatesArePrintable) {
  const TemporaryFolder folder;
  for (const std::string& name : hostile) {
    State saved;
    saved.add(name, zeros({1}));
    saved.set_text(name, name);
    write_safetensors(folder / "state.safetensors", saved);
    const State state = read_safetensors(folder / "state.safetensors");
    expect_printable(name, [&] { state.tensor("other"); });
    expect_printable(name, [&] { state.text("other"); });
    expect_printable(name, [&] { state.integer(name); });
    State twice = state;
    expect_printable(name, [&] { twice.add(name, zeros({1})); });
  }
}

}  // namespace
}  // namespace minima::detail::hostile_names_test
