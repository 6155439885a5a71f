#include "simulated/tests/ptx/kernel.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

// Branches, calls, exchanges between lanes, barriers, and the memories.

namespace simulated::ptx::flow_test {
namespace {

TEST(PtxFlow, LanesTakeTheirOwnBranchesAndMeetAgain) {
  std::vector<u32> y(64);
  const Counts counts = run_body(
      "and.b32 %r0, %t, 1;\nsetp.eq.s32 %p0, %r0, 0;\n@%p0 bra EVEN;\nmul.lo.s32 %r1, %t, 3;\nbra.uni BOTH;\n"
      "EVEN:\nadd.s32 %r1, %t, 1000;\nBOTH:\nadd.s64 %d0, %a0, %t4;\nst.global.u32 [%d0], %r1;",
      1, 64, y);
  for (u32 t = 0; t < 64; ++t) EXPECT_EQ(y[t], t % 2 ? 3 * t : t + 1000);
  EXPECT_EQ(counts.stores.requests, 2u) << "each warp stores once: its lanes have met";
  EXPECT_LT(counts.lanes, counts.instructions * 32);
}

/// Lane t sums 0 … t - 1, so each leaves the loop at another time.
TEST(PtxFlow, LoopsEndForEachLane) {
  std::vector<u32> y(32);
  const Counts counts = run_body(
      "mov.u32 %r0, 0;\nmov.u32 %r1, 0;\nLOOP:\nsetp.ge.u32 %p0, %r0, %t;\n@%p0 bra DONE;\n"
      "add.s32 %r1, %r1, %r0;\nadd.s32 %r0, %r0, 1;\nbra.uni LOOP;\nDONE:\n"
      "add.s64 %d0, %a0, %t4;\nst.global.u32 [%d0], %r1;",
      1, 32, y);
  for (u32 t = 0; t < 32; ++t) EXPECT_EQ(y[t], t * (t - 1) / 2);
  EXPECT_EQ(counts.stores.requests, 1u);
}

TEST(PtxFlow, AnEndlessLoopIsAFault) {
  std::vector<u32> y(1);
  try {
    run_text(kernel_text("LOOP:\nbra LOOP;", 1), {}, {.longest_block = 10000}, y);
    FAIL();
  } catch (const Fault& fault) {
    EXPECT_EQ(fault.kind(), Fault::Kind::endless) << fault.what();
  }
}

TEST(PtxFlow, RegistersOfAnInnerBlockHideThoseOfAFamily) {
  std::vector<u32> y(32);
  run_body(
      "mov.u32 %r1, 5;\n{\n.reg .u32 %r1, %r2;\nmov.u32 %r1, 7;\nadd.u32 %r2, %r1, %t;\nmov.u32 %r3, %r2;\n}\n"
      "add.u32 %r3, %r3, %r1;\nadd.s64 %d0, %a0, %t4;\nst.global.u32 [%d0], %r3;",
      1, 32, y);
  for (u32 t = 0; t < 32; ++t) EXPECT_EQ(y[t], t + 7 + 5);
}

TEST(PtxFlow, FunctionsHaveRegistersOfTheirOwn) {
  const std::string function =
      ".func (.param .b32 result) twice(.param .b32 x)\n{\n.reg .b32 %r<4>;\n.reg .pred %p<2>;\n"
      "ld.param.u32 %r1, [x];\nsetp.gt.u32 %p1, %r1, 10;\n@%p1 bra BIG;\nadd.s32 %r2, %r1, %r1;\n"
      "st.param.b32 [result], %r2;\nret;\nBIG:\nst.param.b32 [result], 77;\nret;\n}\n";
  std::vector<u32> y(32);
  run_text(kernel_text("mov.u32 %r1, 5;\n{\n.param .b32 in0;\nst.param.b32 [in0], %t;\n.param .b32 out0;\n"
                       "call.uni (out0), twice, (in0);\nld.param.b32 %r2, [out0];\n}\nadd.s32 %r2, %r2, %r1;\n"
                       "add.s64 %d0, %a0, %t4;\nst.global.u32 [%d0], %r2;",
                       1, function),
           {.block = {32, 1, 1}}, {}, y);
  for (u32 t = 0; t < 32; ++t) EXPECT_EQ(y[t], (t > 10 ? 77 : 2 * t) + 5);
}

std::vector<u32> shuffled(const std::string& instruction) {
  std::vector<u32> y(32);
  run_body("mul.lo.s32 %r0, %t, 10;\nmov.u32 %r2, 999;\n" + instruction +
               "\nselp.u32 %r3, 1000, 0, %p0;\nadd.s32 %r1, %r1, %r3;\n"
               "add.s64 %d0, %a0, %t4;\nst.global.u32 [%d0], %r1;",
           1, 32, y);
  return y;
}

/// __shfl_xor_sync and so on; the predicate says whether the lane is inside the segment.
TEST(PtxFlow, LanesExchangeValues) {
  const auto xored = shuffled("shfl.sync.bfly.b32 %r1|%p0, %r0, 5, 31, -1;");
  const auto up = shuffled("shfl.sync.up.b32 %r1|%p0, %r0, 3, 0, -1;");
  const auto down = shuffled("shfl.sync.down.b32 %r1|%p0, %r0, 3, 31, -1;");
  const auto eights = shuffled("shfl.sync.idx.b32 %r1|%p0, %r0, 2, 6175, -1;");  // width 8: c = (32 - 8) << 8 | 31
  for (u32 t = 0; t < 32; ++t) {
    EXPECT_EQ(xored[t], (t ^ 5) * 10 + 1000);
    EXPECT_EQ(up[t], t >= 3 ? (t - 3) * 10 + 1000 : t * 10);
    EXPECT_EQ(down[t], t + 3 < 32 ? (t + 3) * 10 + 1000 : t * 10);
    EXPECT_EQ(eights[t], (t / 8 * 8 + 2) * 10 + 1000);
  }
}

/// Each half of the warp exchanges in its own branch: the masks say who takes part.
TEST(PtxFlow, ExchangesInBranchesWaitForTheirMasks) {
  std::vector<u32> y(32);
  run_body(
      "setp.lt.u32 %p1, %t, 16;\n@%p1 bra LOW;\nshfl.sync.bfly.b32 %r1, %t, 1, 31, 0xffff0000;\nbra.uni BOTH;\n"
      "LOW:\nshfl.sync.bfly.b32 %r1, %t, 2, 31, 0xffff;\nBOTH:\nadd.s64 %d0, %a0, %t4;\nst.global.u32 [%d0], %r1;",
      1, 32, y);
  for (u32 t = 0; t < 32; ++t) EXPECT_EQ(y[t], t < 16 ? t ^ 2 : t ^ 1);
}

TEST(PtxFlow, AMaskWithALaneThatNeverComesIsAFault) {
  std::vector<u32> y(32);
  try {
    run_body("setp.lt.u32 %p1, %t, 16;\n@%p1 bra OUT;\nshfl.sync.bfly.b32 %r1, %t, 1, 31, -1;\nOUT:\nbar.sync 0;", 1,
             32, y);
    FAIL();
  } catch (const Fault& fault) {
    EXPECT_EQ(fault.kind(), Fault::Kind::barrier) << fault.what();
  }
}

TEST(PtxFlow, LanesVote) {
  std::vector<u32> y(2);
  run_body(
      "setp.gt.u32 %p0, %t, 3;\nvote.sync.ballot.b32 %r0, %p0, -1;\nvote.sync.any.pred %p1, %p0, -1;\n"
      "selp.u32 %r1, 1, 0, %p1;\nst.global.u32 [%a0], %r0;\nst.global.u32 [%a0+4], %r1;",
      1, 32, y);
  EXPECT_EQ(y[0], 0xfffffff0u);
  EXPECT_EQ(y[1], 1u);
}

/// Thread t reads what thread 95 - t wrote, of another warp.
const char* const exchange =
    "shl.b32 %r0, %t, 2;\nmov.u32 %r1, buffer;\nadd.s32 %r2, %r1, %r0;\nst.shared.u32 [%r2], %t;\nbar.sync 0;\n"
    "sub.s32 %r3, 380, %r0;\nadd.s32 %r3, %r1, %r3;\nld.shared.u32 %r4, [%r3];\n"
    "add.s64 %d0, %a0, %t4;\nst.global.u32 [%d0], %r4;";
const char* const buffer = ".shared .align 4 .b8 buffer[384];\n";

TEST(PtxFlow, BarriersOrderSharedMemory) {
  for (const std::uint64_t order : {0, 1, 7}) {
    std::vector<u32> y(96);
    run_text(kernel_text(exchange, 1, buffer), {.block = {96, 1, 1}}, {.order = order}, y);
    for (u32 t = 0; t < 96; ++t) EXPECT_EQ(y[t], 95 - t);
  }
}

TEST(PtxFlow, BarriersCount) {
  std::vector<u32> y(96);
  run_body("setp.lt.u32 %p0, %t, 70;\nbar.red.popc.u32 %r0, 0, %p0;\nadd.s64 %d0, %a0, %t4;\nst.global.u32 [%d0], %r0;",
           1, 96, y);
  for (const u32 count : y) EXPECT_EQ(count, 70u);
}

TEST(PtxFlow, AtomicsAddUpOverBlocks) {
  std::vector<u32> y(2);
  run_body("atom.global.add.u32 %r0, [%a0], 1;\nred.global.max.u32 [%a0+4], %t;", 3, 50, y);
  EXPECT_EQ(y[0], 150u);
  EXPECT_EQ(y[1], 49u);
}

TEST(PtxFlow, AtomicsCompareAndSwap) {
  std::vector<u32> y = {5, 0};
  run_body("atom.global.cas.b32 %r0, [%a0], 5, 9;\natom.global.cas.b32 %r1, [%a0], 5, 7;\nst.global.u32 [%a0+4], %r1;",
           1, 1, y);
  EXPECT_EQ(y, (std::vector<u32>{9, 9}));
}

TEST(PtxFlow, LocalMemoryIsEachThreadsOwn) {
  std::vector<u32> y(64);
  const std::string text = kernel_text(
      ".local .align 8 .b8 depot[16];\nmov.u64 %d1, depot;\nst.local.u32 [%d1+8], %t;\nld.local.u32 %r0, [%d1+8];\n"
      "add.s64 %d0, %a0, %t4;\nst.global.u32 [%d0], %r0;",
      1);
  run_text(text, {.block = {64, 1, 1}}, {}, y);
  for (u32 t = 0; t < 64; ++t) EXPECT_EQ(y[t], t);
}

TEST(PtxFlow, VariablesOfTheModuleHaveTheirValues) {
  std::vector<u32> y(3);
  run_text(kernel_text("mov.u64 %d1, values;\nadd.s64 %d1, %d1, %t4;\nld.global.nc.u32 %r0, [%d1];\nadd.s64 %d0, %a0, "
                       "%t4;\nst.global.u32 [%d0], %r0;",
                       1, ".global .align 4 .u32 values[3] = {7, 0x10, 9};"),
           {.block = {3, 1, 1}}, {}, y);
  EXPECT_EQ(y, (std::vector<u32>{7, 16, 9}));
}

TEST(PtxFlow, VectorsArePackedAndUnpacked) {
  std::vector<u32> x = {0x11223344u, 2, 3, 4}, y(4);
  run_body(
      "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%a0];\nmov.b32 {%h0, %h1}, %r0;\nmov.b32 %r4, {%h1, %h0};\n"
      "mov.b64 %d1, {%r1, %r2};\nmov.b64 {%r5, %r6}, %d1;\nst.global.v2.u32 [%a1], {%r4, %r6};\nst.global.v2.u32 "
      "[%a1+8], {%r5, %r3};",
      1, 1, x, y);
  EXPECT_EQ(y, (std::vector<u32>{0x33441122u, 3, 2, 4}));
}

}  // namespace
}  // namespace simulated::ptx::flow_test
