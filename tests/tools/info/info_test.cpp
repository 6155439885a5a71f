#include "tests/support/run_program.h"
#include "tools/info/illegal_instructions.h"
#include "tools/info/notes.h"
#include "tools/info/report.h"

#include <minima/io/text/json.h>
#include <minima/tensor/system/system_info.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <string>

namespace minima::info_test {
namespace {

using test::Outcome;

/// By default the output includes standard error.
Outcome run(const std::string& arguments, const std::string& redirection = "2>&1",
            const std::string& program = "'" MINIMA_INFO "'") {
  return test::run_program(program + " " + arguments + " " + redirection);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A machine with two GPUs, on which all is well.
SystemInfo good_machine() {
  SystemInfo info;
  info.build = {.version = "0.1.0",
                .commit = "abcdef0",
                .compiler = "GNU 12.2.0",
                .type = "Release",
                .flags = "-O3",
                .processors = "native",
                .sanitizer = "",
                .is_shared = true,
                .instruction_sets = {"avx2", "avx512f"},
                .cuda = "13.0.88",
                .cuda_architectures = {"80-real", "90"}};
  info.cpu = {.name = "A processor",
              .cores = 16,
              .usable_cores = 8,
              .threads = 8,
              .instruction_sets = {"avx2", "avx512f", "amx_tile"},
              .memory = std::int64_t{64} << 30,
              .memory_available = std::int64_t{32} << 30};
  info.driver = "580.65.06";
  info.driver_cuda_version = 13000;
  for (int i = 0; i < 2; ++i) {
    GpuInfo& gpu = info.gpus.emplace_back();
    gpu.properties.name = "A GPU";
    gpu.properties.major = 9;
    gpu.properties.memory = std::int64_t{80} << 30;
    gpu.memory_free = std::int64_t{79} << 30;
    gpu.peer_access = {i != 0, false};
  }
  info.libraries = {
      {.name = "Good", .is_available = true, .built_with = "1.0", .version = "1.2", .path = "/lib/good.so"}};
  return info;
}

TEST(Info, ItsJsonAgreesWithTheLibrary) {
  const Outcome printed = run("--json");
  ASSERT_EQ(printed.code, 0) << printed.output;
  const Json json = Json::parse(printed.output);
  const SystemInfo info = system_info();
  EXPECT_EQ(json.at("version").string(), info.build.version);
  EXPECT_EQ(json.at("build").at("shared").boolean(), info.build.is_shared);
  EXPECT_EQ(json.at("build").at("instruction_sets").items().size(), info.build.instruction_sets.size());
  EXPECT_EQ(json.at("cpu").at("usable_cores").integer(), info.cpu.usable_cores);
  EXPECT_EQ(json.at("cpu").at("threads").integer(), info.cpu.threads);
  EXPECT_EQ(json.at("cpu").at("memory").integer(), info.cpu.memory);
  EXPECT_EQ(json.at("gpus").items().size(), info.gpus.size());
  EXPECT_EQ(json.at("gpu_reason").is_null(), !info.gpus.empty());
  const std::vector<Json>& libraries = json.at("libraries").items();
  ASSERT_EQ(libraries.size(), info.libraries.size());
  for (std::size_t i = 0; i < libraries.size(); ++i) {
    EXPECT_EQ(libraries[i].at("name").string(), info.libraries[i].name);
    EXPECT_EQ(libraries[i].at("available").boolean(), info.libraries[i].is_available);
  }
}

TEST(Info, ItsTextHasASectionForEachSubjectAndALineForEachLibrary) {
  const Outcome printed = run("");
  ASSERT_EQ(printed.code, 0) << printed.output;
  const SystemInfo info = system_info();
  EXPECT_TRUE(printed.output.starts_with("minima " + info.build.version)) << printed.output;
  for (const char* section : {"\nBuild\n", "\nCPU\n", "\nGPUs\n", "\nLibraries\n"})
    EXPECT_TRUE(contains(printed.output, section)) << section << printed.output;
  for (const LibraryInfo& library : info.libraries)
    EXPECT_TRUE(contains(printed.output, "\n  " + library.name + " ")) << library.name << "\n" << printed.output;
  EXPECT_TRUE(contains(printed.output, info.gpu_reason)) << printed.output;
}

#ifdef MINIMA_SIMULATED_INFO
/// On four simulated GPUs.
Outcome run_on_four(const std::string& arguments, const std::string& variables = "") {
  return run(arguments, "2>&1", variables + " MINIMA_SIMULATED_GPUS=2xH100,A100,L4 '" MINIMA_SIMULATED_INFO "'");
}

TEST(SimulatedInfo, DescribesFourGpusOfThreeKinds) {
  const Outcome printed = run_on_four("--json");
  ASSERT_EQ(printed.code, 0) << printed.output;
  const Json json = Json::parse(printed.output);
  EXPECT_TRUE(json.at("gpu_reason").is_null());
  const std::vector<Json>& gpus = json.at("gpus").items();
  ASSERT_EQ(gpus.size(), 4u);
  const char* const kinds[] = {"H100", "H100", "A100", "L4"};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(contains(gpus[i].at("name").string(), kinds[i])) << gpus[i].at("name").string();
    const std::int64_t memory = gpus[i].at("memory").integer(), free = gpus[i].at("memory_free").integer();
    EXPECT_GT(free, memory / 2);
    EXPECT_LE(free, memory);
    EXPECT_EQ(gpus[i].at("peer_access").items().size(), 4u);
  }
  EXPECT_GT(gpus[0].at("memory").integer(), 3 * gpus[3].at("memory").integer());
  for (const Json& library : json.at("libraries").items())
    for (const char* const name :
         {"NVIDIA driver", "NVML", "cuBLASLt", "cuDNN", "NVRTC", "cuFFT", "cuSOLVER", "CUPTI", "NCCL"})
      if (library.at("name").string() == name) {
        EXPECT_TRUE(library.at("available").boolean()) << name;
      }
}

TEST(SimulatedInfo, RequiredLibrariesHaveALineEach) {
  const Outcome printed = run_on_four("--require-libraries");
  EXPECT_EQ(printed.code, 0) << printed.output;
  EXPECT_EQ(std::count(printed.output.begin(), printed.output.end(), '\n'), 8) << printed.output;
}

TEST(SimulatedInfo, MissingRequiredLibrariesAreNamedOnTheLastLine) {
  const Outcome printed = run_on_four("--require-libraries", "MINIMA_SIMULATED_MISSING=libcudnn.so.9:libnccl.so.2");
  EXPECT_EQ(printed.code, 3);
  EXPECT_TRUE(contains(printed.output, "minima-info: not found: cuDNN, NCCL; ")) << printed.output;
}

TEST(SimulatedInfo, HasALineForEachGpu) {
  const Outcome printed = run_on_four("");
  ASSERT_EQ(printed.code, 0) << printed.output;
  for (int i = 0; i < 4; ++i)
    EXPECT_TRUE(contains(printed.output, "\n  cuda:" + std::to_string(i) + " ")) << i << printed.output;
}

TEST(SimulatedInfo, SaysWhyThereIsNoGpu) {
  const auto reason = [](const std::string& status, const std::string& variables) {
    return run_on_four("", "MINIMA_SIMULATED_FAILURES=cudaGetDeviceCount:1=" + status + " " + variables).output;
  };
  for (const auto& [status, variables, text] :
       {std::array{"100", "", "the NVIDIA driver finds no GPU"},
        std::array{"100", "CUDA_VISIBLE_DEVICES=7", "CUDA_VISIBLE_DEVICES=\"7\" leaves this process no GPU"},
        std::array{"999", "", "this process can use no GPU: unknown error"}}) {
    const std::string output = reason(status, variables);
    EXPECT_TRUE(contains(output, text)) << output;
    EXPECT_FALSE(contains(output, "\n  cuda:0")) << output;
  }
}

TEST(SimulatedInfo, SaysWhatNvmlDoesNotTell) {
  const Outcome printed = run_on_four("", "MINIMA_SIMULATED_FAILURES=nvmlDeviceGetMemoryInfo:2=999");
  ASSERT_EQ(printed.code, 0) << printed.output;
  EXPECT_TRUE(contains(printed.output, "free: unknown (nvmlDeviceGetMemoryInfo: ")) << printed.output;
}
#endif

TEST(Info, MistakesExitWithTwoAndAHint) {
  EXPECT_EQ(run("--jsno").code, 2);
  EXPECT_EQ(run("--jsno").output, "minima-info: unknown argument: --jsno; see minima-info --help\n");
  EXPECT_EQ(run("--json --version").output, "minima-info: one argument at most: --version; see minima-info --help\n");
  EXPECT_EQ(run("--json --version").code, 2);
}

TEST(Info, ListsTheTensorsAndValuesOfAFile) {
  const Outcome pt = run("'" MINIMA_FIXTURES "/pt/parallel.pth'");
  EXPECT_EQ(pt.code, 0);
  EXPECT_TRUE(contains(pt.output, "parallel.pth: PyTorch, tensors: 7, elements: 22, values: 0\n  module.0.weight "))
      << pt.output;
  EXPECT_TRUE(contains(pt.output, "  float32 [3, 2]\n")) << pt.output;
  const Outcome official = run("'" MINIMA_FIXTURES "/safetensors/official.safetensors'");
  EXPECT_TRUE(contains(official.output, "official.safetensors: safetensors, ")) << official.output;
  EXPECT_TRUE(contains(official.output, "format")) << official.output;
  const Outcome missing = run("missing.pt");
  EXPECT_EQ(missing.code, 1);
  EXPECT_TRUE(contains(missing.output, "minima-info: missing.pt: cannot open for reading")) << missing.output;
}

TEST(Info, HelpAndVersionAreShort) {
  EXPECT_TRUE(contains(run("--help").output, "Exit codes: 0 "));
  EXPECT_EQ(run("--help").code, 0);
  EXPECT_EQ(run("--version").output, build_info().version + "\n");
}

TEST(Info, AFullDiskAndAMistakenVariableExitWithOne) {
  const Outcome full = run("", "2>&1 >/dev/full");
  EXPECT_EQ(full.code, 1);
  EXPECT_TRUE(contains(full.output, "minima-info: standard output: No space left")) << full.output;
  setenv("MINIMA_THREADS", "many", 1);
  const Outcome mistaken = run("");
  unsetenv("MINIMA_THREADS");
  EXPECT_EQ(mistaken.code, 1);
  EXPECT_TRUE(contains(mistaken.output, "minima-info: MINIMA_THREADS=many: ")) << mistaken.output;
}

TEST(Info, AMistakenDeviceIsPartOfTheReport) {
  setenv("MINIMA_DEVICE", "gpu", 1);
  const Outcome printed = run("");
  unsetenv("MINIMA_DEVICE");
  EXPECT_EQ(printed.code, 0);
  EXPECT_TRUE(contains(printed.output, "unknown device \"gpu\"")) << printed.output;
}

TEST(InfoDeathTest, AnIllegalInstructionIsExplained) {
  EXPECT_EXIT(
      {
        explain_illegal_instructions();
        raise(SIGILL);
      },
      testing::ExitedWithCode(1), "instructions that this processor lacks.*MINIMA_NATIVE=OFF");
}

TEST(InfoNotes, NothingIsSaidOfAGoodMachine) { EXPECT_EQ(notes_on(good_machine()), std::vector<std::string>()); }

/// The only note on a good machine after `change`.
template <class Change>
std::string note_after(const Change& change) {
  SystemInfo info = good_machine();
  change(info);
  const std::vector<std::string> notes = notes_on(info);
  return notes.size() == 1 ? notes[0] : std::to_string(notes.size()) + " notes";
}

TEST(InfoNotes, NameWhatTheBuildDemandsAndLeavesUnused) {
  const auto lacking = [](SystemInfo& info) { info.cpu.instruction_sets = {"avx2"}; };
  EXPECT_TRUE(note_after(lacking).starts_with("the processor lacks instructions that this build uses (avx512f)"));
  const auto unused = [](SystemInfo& info) { info.build.instruction_sets = {"avx2"}; };
  EXPECT_TRUE(note_after(unused).starts_with("the processor has avx512f, which this build does not use"));
  const auto none = [](SystemInfo& info) { info.cpu.instruction_sets = {}; };
  EXPECT_EQ(note_after(none), "0 notes");  // the system doesn't say
}

TEST(InfoNotes, NameSlowBuildsAndTooManyThreads) {
  EXPECT_TRUE(contains(note_after([](SystemInfo& info) { info.build.type = "Debug"; }), "CMAKE_BUILD_TYPE=Debug"));
  EXPECT_TRUE(contains(note_after([](SystemInfo& info) { info.build.sanitizer = "thread"; }), "thread sanitizer"));
  EXPECT_TRUE(note_after([](SystemInfo& info) { info.cpu.threads = 9; }).starts_with("9 threads share 8 usable cores"));
}

TEST(InfoNotes, AMissingLibraryHasItsConsequence) {
  const auto missing = [](SystemInfo& info) {
    info.libraries.push_back({.name = "Lost", .reason = "not found", .consequence = "things are slower"});
  };
  EXPECT_EQ(note_after(missing), "no Lost: things are slower");
}

TEST(InfoNotes, AGpuWithoutKernelsIsNamedWithTheOption) {
  const std::string note = note_after([](SystemInfo& info) {
    info.gpus[0].properties.name = "An old GPU";
    info.gpus[0].properties.major = 7;
    info.gpus[0].properties.minor = 5;
  });
  EXPECT_TRUE(contains(note, "do not run on the An old GPU, compute capability 7.5")) << note;
  EXPECT_TRUE(contains(note, "-D CMAKE_CUDA_ARCHITECTURES=75")) << note;
}

TEST(InfoReport, GpusHaveTheirMemoryAndPeers) {
  SystemInfo info = good_machine();
  info.gpus[1].memory_free = -1;
  info.gpus[1].reason = "NVML is lost";
  const std::string text = text_report(info);
  EXPECT_TRUE(contains(text, "driver            580.65.06, for CUDA 13.0\n")) << text;
  EXPECT_TRUE(contains(text, "cuda:0            A GPU, compute capability 9.0, 80.0 GiB, free: 79.0 GiB\n")) << text;
  EXPECT_TRUE(contains(text, "free: unknown (NVML is lost)\n")) << text;
  EXPECT_TRUE(contains(text, "peer access       cuda:0 to none\n")) << text;
  EXPECT_TRUE(contains(text, "peer access       cuda:1 to cuda:0\n")) << text;
  EXPECT_TRUE(contains(text, "CUDA              13.0.88, for architectures 80-real 90\n")) << text;
  EXPECT_TRUE(contains(text, "  Good            1.2           /lib/good.so (built with 1.0)\n")) << text;
  const Json json = Json::parse(json_report(info));
  EXPECT_EQ(json.at("gpus").items()[0].at("memory_free").integer(), std::int64_t{79} << 30);
  EXPECT_TRUE(json.at("gpus").items()[1].at("memory_free").is_null());
  EXPECT_TRUE(json.at("gpus").items()[1].at("peer_access").items()[0].boolean());
  EXPECT_EQ(json.at("driver_cuda").string(), "13.0");
}

}  // namespace
}  // namespace minima::info_test
