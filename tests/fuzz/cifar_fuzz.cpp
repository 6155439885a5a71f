#include <minima/data/datasets/cifar.h>

#include "tests/fuzz/fuzz.h"

#include <sys/stat.h>
#include <unistd.h>
#include <cstdlib>
#include <string>

/// A folder in which test_batch.bin and test.bin are the file in memory.
static std::string folder() {
  char path[] = "/tmp/minima-fuzz-XXXXXX";
  if (!::mkdtemp(path)) std::abort();
  const std::string memory = fuzz::as_file({});
  for (const char* name : {"/test_batch.bin", "/test.bin"})
    if (::symlink(memory.c_str(), (std::string(path) + name).c_str()) != 0) std::abort();
  return path;
}

struct Folder {
  std::string path = folder();
  ~Folder() {
    for (const char* name : {"/test_batch.bin", "/test.bin", ""}) ::remove((path + name).c_str());
  }
};

FUZZ_TARGET(bytes) {
  static const Folder place;
  fuzz::as_file(bytes);
  fuzz::refuse_or_read([] { minima::data::Cifar10::test(place.path); });
  fuzz::refuse_or_read([] { minima::data::Cifar100::test(place.path); });
}
