#include "simulated/ptx/lint.h"
#include "simulated/tests/ptx/kernel.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

// Planted mistakes are found, and what is no mistake is not.

namespace simulated::ptx::faults_test {
namespace {

template <class F> void expect_fault(Fault::Kind kind, const std::string& words, F f) {
  try {
    f();
    FAIL() << "no fault; expected " << words;
  } catch (const Fault& fault) {
    EXPECT_EQ(fault.kind(), kind);
    EXPECT_NE(std::string(fault.what()).find(words), std::string::npos) << fault.what();
  }
}

TEST(PtxFaults, AVectorAtAnOddAddress) {
  std::vector<u32> x(8), y(4);
  expect_fault(Fault::Kind::misaligned, "ld.global.v4.u32", [&] {
    run_body("ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%a0+4];\nst.global.u32 [%a1], %r0;", 1, 1, x, y);
  });
  expect_fault(Fault::Kind::misaligned, "4 bytes", [&] { run_body("ld.global.u32 %r0, [%a0+1];", 1, 1, x, y); });
}

TEST(PtxFaults, AnElementBeyondTheEnd) {
  std::vector<u32> y(33);
  const std::string store = "add.s64 %d0, %a0, %t4;\nst.global.u32 [%d0], %t;";
  run_body(store, 1, 33, y);
  expect_fault(Fault::Kind::out_of_bounds, "thread 33", [&] { run_body(store, 1, 34, y); });
  expect_fault(Fault::Kind::out_of_bounds, "nothing is allocated",
               [&] { run_body("mov.u64 %d0, 64;\nld.global.u32 %r0, [%d0];", 1, 1, y); });
}

TEST(PtxFaults, BeyondSharedMemory) {
  std::vector<u32> y(1);
  expect_fault(Fault::Kind::out_of_bounds, "shared memory", [&] {
    run_text(kernel_text("mov.u32 %r0, 0;\nst.shared.u32 [%r0+16], %r0;", 1, ".shared .align 4 .b8 buffer[16];"), {},
             {}, y);
  });
}

/// Thread t reads what thread (t + `by`) mod 64 wrote, with `between` in between.
std::string neighbours(const std::string& between, unsigned by) {
  return kernel_text("shl.b32 %r0, %t, 2;\nmov.u32 %r1, buffer;\nadd.s32 %r2, %r1, %r0;\nst.shared.u32 [%r2], %t;\n" +
                         between + "\nadd.s32 %r3, %t, " + std::to_string(by) +
                         ";\nand.b32 %r3, %r3, 63;\nshl.b32 %r3, %r3, 2;\nadd.s32 %r3, %r1, %r3;\n"
                         "ld.shared.u32 %r4, [%r3];\nadd.s64 %d0, %a0, %t4;\nst.global.u32 [%d0], %r4;",
                     1, ".shared .align 4 .b8 buffer[256];");
}

TEST(PtxFaults, ARaceOnSharedMemoryBetweenWarps) {
  std::vector<u32> y(64);
  for (const std::uint64_t order : {0, 1, 5})
    expect_fault(Fault::Kind::race, "st.shared.u32",
                 [&] { run_text(neighbours("", 32), {.block = {64, 1, 1}}, {.order = order}, y); });
  run_text(neighbours("bar.sync 0;", 32), {.block = {64, 1, 1}}, {}, y);
  run_text(neighbours("", 0), {.block = {64, 1, 1}}, {}, y);
}

/// The lanes of a warp are not in step since compute capability 7.0.
TEST(PtxFaults, ARaceOnSharedMemoryWithinAWarp) {
  std::vector<u32> y(32);
  expect_fault(Fault::Kind::race, "no barrier", [&] { run_text(neighbours("", 1), {.block = {32, 1, 1}}, {}, y); });
  const std::string text = "setp.lt.u32 %p0, %t, 32;\nbar.warp.sync -1;";
  std::vector<u32> z(32);
  run_text(kernel_text("shl.b32 %r0, %t, 2;\nst.shared.u32 [%r0], %t;\n" + text +
                           "\nxor.b32 %r0, %r0, 4;\nld.shared.u32 %r4, [%r0];\n"
                           "add.s64 %d0, %a0, %t4;\nst.global.u32 [%d0], %r4;",
                       1, ".shared .align 4 .b8 buffer[128];"),
           {.block = {32, 1, 1}}, {}, z);
  EXPECT_EQ(z[0], 1u);
}

TEST(PtxFaults, AWriteAfterOthersHaveRead) {
  std::vector<u32> y(64);
  const std::string text = kernel_text(
      "ld.shared.u32 %r4, [buffer];\n@%p0 bra END;\nsetp.eq.u32 %p1, %t, 40;\n@%p1 st.shared.u32 [buffer], %t;\nEND:",
      1, ".shared .align 4 .b8 buffer[4];");
  expect_fault(Fault::Kind::race, "read with ld.shared", [&] { run_text(text, {.block = {64, 1, 1}}, {}, y); });
}

/// Every thread writes the same: how flags are set.
TEST(PtxFaults, EqualWritesAreNoRace) {
  std::vector<u32> y(1);
  run_text(kernel_text("mov.u32 %r0, 1;\nst.shared.u32 [buffer], %r0;\nst.global.u32 [%a0], %r0;", 1,
                       ".shared .align 4 .b8 buffer[4];"),
           {.grid = {4, 1, 1}, .block = {64, 1, 1}}, {}, y);
  expect_fault(Fault::Kind::race, "wrote", [&] {
    run_text(kernel_text("st.shared.u32 [buffer], %t;", 1, ".shared .align 4 .b8 buffer[4];"), {.block = {64, 1, 1}},
             {}, y);
  });
}

/// No order of blocks is promised, unless an atomic operation and a fence make one.
TEST(PtxFaults, ARaceOnGlobalMemoryBetweenBlocks) {
  std::vector<u32> y(3);
  const std::string write = "mov.u32 %r0, %ctaid.x;\nst.global.u32 [%a0], %r0;";
  expect_fault(Fault::Kind::race, "another block", [&] { run_body(write, 2, 1, y); });
  run_body(write, 1, 1, y);
  run_text(kernel_text(write, 1), {.grid = {2, 1, 1}}, {.global_races = false}, y);
  y[1] = 0;
  run_body(
      "mov.u32 %r0, %ctaid.x;\nmul.wide.u32 %d1, %r0, 8;\nadd.s64 %d0, %a0, %d1;\nst.global.u32 [%d0], "
      "%r0;\nmembar.gl;\n"
      "atom.global.add.u32 %r1, [%a0+4], 1;\nmembar.gl;\nsetp.eq.u32 %p0, %r1, 1;\n@%p0 ld.global.u32 %r2, [%a0];",
      2, 1, y);
}

TEST(PtxFaults, ABarrierThatSomeThreadsDoNotReach) {
  std::vector<u32> y(1);
  expect_fault(Fault::Kind::barrier, "has ended",
               [&] { run_body("setp.gt.u32 %p0, %t, 20;\n@%p0 ret;\nbar.sync 0;", 1, 64, y); });
  expect_fault(Fault::Kind::barrier, "another barrier", [&] {
    run_body("setp.gt.u32 %p0, %t, 20;\n@%p0 bra B;\nbar.sync 0;\nbra.uni END;\nB:\nbar.sync 0;\nEND:", 1, 64, y);
  });
}

TEST(PtxFaults, AnUnknownInstructionStopsWithItsText) {
  std::vector<u32> y(1);
  const Module module(kernel_text("setp.eq.u32 %p0, %t, 5;\n@%p0 frobnicate.b32 %r0, %r1;", 1));
  const Program program(module, "k");
  EXPECT_EQ(program.unknown(), std::vector<std::string>{"@%p0 frobnicate.b32 %r0, %r1;"});
  run(program, {.block = {5, 1, 1}}, pointers_to(y));
  expect_fault(Fault::Kind::unknown, "frobnicate.b32", [&] { run(program, {.block = {6, 1, 1}}, pointers_to(y)); });
  EXPECT_THROW(Module(".version 9.0\n.frob x;"), SyntaxError);
}

// --- counts ---

Counts strided(unsigned stride) {
  std::vector<u32> x(32 * 32), y(32);
  return run_body("mul.lo.s32 %r0, %t, " + std::to_string(4 * stride) +
                      ";\ncvt.u64.u32 %d0, %r0;\nadd.s64 %d0, %a0, %d0;\nld.global.u32 %r1, [%d0];\n"
                      "add.s64 %d0, %a1, %t4;\nst.global.u32 [%d0], %r1;",
                  1, 32, x, y);
}

TEST(PtxCounts, SectorsGrowWithTheStride) {
  for (const unsigned stride : {1u, 2u, 8u, 32u}) {
    const Counts counts = strided(stride);
    EXPECT_EQ(counts.loads.requests, 1u);
    EXPECT_NEAR(static_cast<double>(counts.loads.sectors), stride >= 8 ? 32 : 4 * stride, 1);
    EXPECT_EQ(counts.loads.bytes, 128u);
  }
  EXPECT_LT(lint(strided(8)).useful_loads, 0.15);
  EXPECT_GT(lint(strided(1)).useful_loads, 0.75);
  EXPECT_NE(complaint(lint(strided(8)), {}).find("bytes read"), std::string::npos);
  EXPECT_EQ(complaint(lint(strided(1)), {}), "");
}

TEST(PtxCounts, BankConflictsAreWavefronts) {
  const auto with = [](unsigned stride) {
    std::vector<u32> y(1);
    return run_text(kernel_text("mul.lo.s32 %r0, %t, " + std::to_string(4 * stride) + ";\nst.shared.u32 [%r0], %t;", 1,
                                ".shared .align 4 .b8 buffer[8192];"),
                    {.block = {32, 1, 1}}, {}, y);
  };
  EXPECT_EQ(with(1).wavefronts, 1u);
  EXPECT_EQ(with(2).wavefronts, 2u);
  EXPECT_EQ(with(33).wavefronts, 1u);
  EXPECT_EQ(with(32).wavefronts, 32u);
  EXPECT_EQ(with(32).ideal_wavefronts, 1u);
}

TEST(PtxCounts, LoadsInFlightBeforeTheFirstUse) {
  std::vector<u32> x(4), y(1);
  const Counts together = run_body(
      "ld.global.u32 %r0, [%a0];\nld.global.u32 %r1, [%a0+4];\nld.global.u32 %r2, [%a0+8];\nadd.s32 %r0, %r0, %r1;\n"
      "add.s32 %r0, %r0, %r2;\nst.global.u32 [%a1], %r0;",
      1, 1, x, y);
  const Counts apart = run_body(
      "ld.global.u32 %r0, [%a0];\nadd.s32 %r3, %r0, 1;\nld.global.u32 %r1, [%a0+4];\nadd.s32 %r0, %r0, "
      "%r1;\nst.global.u32 [%a1], %r0;",
      1, 1, x, y);
  EXPECT_DOUBLE_EQ(lint(together).in_flight, 3);
  EXPECT_DOUBLE_EQ(lint(apart).in_flight, 1);
}

}  // namespace
}  // namespace simulated::ptx::faults_test
