#include <minima/tensor/system/system_info.h>
#include <minima/tensor/system/instruction_sets.h>
#include <minima/tensor/system/libraries.h>
#include <minima/tensor/threads/parallel.h>

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>

namespace minima::system_info_test {
namespace {

using Names = std::vector<std::string>;

TEST(CpuInfo, ReadsTheFirstProcessorOfAList) {
#if defined(__x86_64__)
  const detail::CpuText text = detail::read_cpuinfo(
      "processor\t: 0\nmodel\t\t: 143\nmodel name\t: Intel(R) Xeon(R) w5-2455X\n"
      "flags\t\t: fpu vme sse avx fma avx2 avx512f amx_tile\n\nprocessor\t: 1\nmodel name\t: Another\nflags\t\t: "
      "fpu\n");
  EXPECT_EQ(text.name, "Intel(R) Xeon(R) w5-2455X");
  EXPECT_EQ(text.instruction_sets, (Names{"avx", "fma", "avx2", "avx512f", "amx_tile"}));
#else
  const detail::CpuText text = detail::read_cpuinfo("processor\t: 0\nFeatures\t: fp asimd sve\n\nprocessor\t: 1\n");
  EXPECT_EQ(text.name, "");
  EXPECT_EQ(text.instruction_sets, (Names{"asimd", "sve"}));
#endif
}

TEST(CpuInfo, ATextWithoutThemHasNoNameAndNoInstructionSets) {
  for (const char* text : {"", "flags", "flags\t\t:", "model name:\nflags :\t\n", "my flags\t: avx2\n"}) {
    const detail::CpuText read = detail::read_cpuinfo(text);
    EXPECT_EQ(read.name, "") << text;
    EXPECT_EQ(read.instruction_sets, Names()) << text;
  }
}

TEST(CpuInfo, AProcessHasNoMoreThanTheMachine) {
  const CpuInfo cpu = cpu_info();
  EXPECT_GE(cpu.usable_cores, 1);
  EXPECT_LE(cpu.usable_cores, cpu.cores);
  EXPECT_EQ(cpu.threads, num_threads());
  EXPECT_GT(cpu.memory_available, 0);
  EXPECT_LE(cpu.memory_available, cpu.memory);
}

/// This test runs, so the processor has what the library was compiled for.
TEST(CpuInfo, TheProcessorHasTheInstructionSetsOfTheBuild) {
  const Names present = cpu_info().instruction_sets;
  const std::set<std::string> has(present.begin(), present.end());
  for (const std::string& compiled : build_info().instruction_sets) EXPECT_TRUE(has.count(compiled)) << compiled;
}

TEST(BuildInfo, NamesTheVersionTheCompilerAndItsFlags) {
  const BuildInfo build = build_info();
  EXPECT_NE(build.version.find('.'), std::string::npos) << build.version;
  EXPECT_NE(build.compiler.find(' '), std::string::npos) << build.compiler;
  EXPECT_NE(build.flags.find("-ffp-contract=fast"), std::string::npos) << build.flags;
  EXPECT_LE(build.commit.size(), 40u) << build.commit;
  EXPECT_EQ(build.commit.find_first_not_of("0123456789abcdef"), std::string::npos) << build.commit;
#ifdef MINIMA_HAVE_CUDA
  EXPECT_FALSE(build.cuda.empty());
  EXPECT_FALSE(build.cuda_architectures.empty());
#else
  EXPECT_EQ(build.cuda, "");
  EXPECT_EQ(build.cuda_architectures, Names());
#endif
}

TEST(LibraryInfo, EachIsThereOrHasAReasonAndAConsequence) {
  std::set<std::string> names;
  for (const LibraryInfo& library : library_info()) {
    EXPECT_TRUE(names.insert(library.name).second) << library.name << " twice";
    EXPECT_FALSE(library.purpose.empty()) << library.name;
    EXPECT_EQ(library.is_available, library.reason.empty()) << library.name << ": " << library.reason;
    EXPECT_TRUE(library.path.empty() || std::filesystem::exists(library.path)) << library.path;
  }
  for (const char* name : {"oneDNN", "Eigen", "LAPACK", "Gloo", "libjpeg", "libpng", "zlib", "zstd", "utf8proc"})
    EXPECT_TRUE(names.count(name)) << name;
}

TEST(LibraryInfo, AFunctionOfTheProgramHasNoFileOfItsOwn) {
  EXPECT_EQ(detail::file_of(reinterpret_cast<const void*>(&library_info)), "");
  double (*const cosine)(double) = std::cos;
  EXPECT_NE(detail::file_of(reinterpret_cast<const void*>(cosine)), "");
}

TEST(GpuInfo, ListsTheGpusThatTheProcessCanUse) {
  const SystemInfo info = system_info();
  ASSERT_EQ(info.gpus.size(), static_cast<std::size_t>(cuda::device_count()));
  EXPECT_EQ(info.gpu_reason, cuda::unavailable_reason());
  for (const GpuInfo& gpu : info.gpus) {
    EXPECT_EQ(gpu.peer_access.size(), info.gpus.size());
    EXPECT_EQ(gpu.memory_free < 0, !gpu.reason.empty()) << gpu.reason;
  }
  EXPECT_FALSE(cuda::can_access_peer(0, 0));
  EXPECT_FALSE(cuda::can_access_peer(0, cuda::device_count()));
}

}  // namespace
}  // namespace minima::system_info_test
