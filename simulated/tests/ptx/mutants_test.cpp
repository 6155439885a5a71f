#include "simulated/ptx/mutants.h"

#include "simulated/ptx/mutations.h"
#include "simulated/tests/ptx/kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace simulated::ptx::mutants_test {
namespace {

/// Tries `count` mutants of a kernel with one pointer, to 64 numbers, on one launch.
std::vector<Outcome> try_mutants(const std::string& body, std::size_t count, const std::string& variables = "",
                                 bool all_inputs = false) {
  const Module module(kernel_text(body, 1, variables));
  const Program program(module, "k");
  Mutants mutants(module, program, count);
  std::array<std::uint32_t, 64> numbers{};
  for (std::uint32_t i = 0; i < 64; ++i) numbers[i] = i;
  const auto before = numbers;
  mutants.try_all({.grid = {1, 1, 1}, .block = {64, 1, 1}}, pointers_to(numbers), {.find_range = only(numbers)},
                  {std::span(reinterpret_cast<std::uint8_t*>(numbers.data()), sizeof numbers)}, all_inputs);
  EXPECT_EQ(numbers, before) << "a trial leaves memory as it was";
  return mutants.outcomes();
}

/// The fate of the mutants of the statement that begins like this; they must agree.
Fate fate_of(const std::vector<Outcome>& outcomes, const std::string& text) {
  const auto is_it = [&](const Outcome& outcome) { return outcome.change.find(text) != std::string::npos; };
  const auto found = std::find_if(outcomes.begin(), outcomes.end(), is_it);
  if (found == outcomes.end()) {
    ADD_FAILURE() << "no mutant of " << text;
    return Fate::not_executed;
  }
  for (const Outcome& outcome : outcomes) {
    if (!is_it(outcome)) continue;
    EXPECT_EQ(name(outcome.fate), name(found->fate)) << outcome.change;
  }
  return found->fate;
}

TEST(PtxMutants, FatesSayWhatALaunchShowed) {
  const auto outcomes = try_mutants(
      "add.u64 %d0, %a0, %t4;\n"
      "ld.global.u32 %r0, [%d0];\n"
      "mul.lo.u32 %r1, %r0, 3;\n"  // stored: killed
      "add.u32 %r2, %r0, 7;\n"     // another value that decides nothing
      "setp.gt.u32 %p0, %r2, 9999;\n"
      "shr.u32 %r6, %r0, 6;\n"  // 0, also of 7 bits fewer
      "add.u32 %r1, %r1, %r6;\n"
      "and.b32 %r3, %r0, 64;\n"
      "setp.gt.u32 %p2, %t, 63;\n"  // read by what does not run
      "@%p0 bra $L_never;\n"
      "st.global.u32 [%d0], %r1;\n"
      "ret;\n"
      "$L_never:\n"
      "sub.u32 %r4, %r1, %r3;\n"
      "@%p2 st.global.u32 [%d0], %r4;\n",
      200);
  EXPECT_EQ(fate_of(outcomes, "mul.lo.u32 %r1, %r0, 3; [another operation]"), Fate::killed);
  EXPECT_EQ(fate_of(outcomes, "st.global.u32 [%d0], %r1; [no store]"), Fate::killed);
  EXPECT_EQ(fate_of(outcomes, "add.u32 %r2, %r0, 7; [another operation]"), Fate::killed) << "0 - 7 wraps";
  EXPECT_EQ(fate_of(outcomes, "add.u32 %r2, %r0, 7; [another immediate]"), Fate::survived);
  EXPECT_EQ(fate_of(outcomes, "shr.u32 %r6, %r0, 6; [another immediate]"), Fate::same_result);
  EXPECT_EQ(fate_of(outcomes, "setp.gt.u32 %p2, %t, 63; [another immediate]"), Fate::not_read);
  EXPECT_EQ(fate_of(outcomes, "sub.u32 %r4, %r1, %r3;"), Fate::not_executed);
}

/// The mutant changes a number that no launch reads, or the next round's in a loop that had one.
TEST(PtxMutants, AResultIsReadOnlyByWhatCouldRunNext) {
  const auto outcomes = try_mutants(
      "add.u64 %d0, %a0, %t4;\n"
      "ld.global.u32 %r0, [%d0];\n"
      "mov.u32 %r1, 5;\n"  // replaced in either case
      "setp.gt.u32 %p0, %r0, 31;\n"
      "@%p0 bra $L_large;\n"
      "add.u32 %r1, %r0, 2;\n"
      "bra.uni $L_next;\n"
      "$L_large:\n"
      "add.u32 %r1, %r0, 3;\n"
      "$L_next:\n"
      "st.global.u32 [%d0], %r1;\n"
      "add.u64 %d0, %d0, 256;\n"  // read in a second round, and there is none
      "setp.gt.u32 %p1, %r0, 9999;\n"
      "@%p1 bra $L_next;\n"
      "add.u32 %r2, %r0, 4;\n"  // read in a second round of the last loop, which has two
      "mov.u32 %r3, 0;\n"
      "$L_again:\n"
      "add.u32 %r3, %r3, 1;\n"
      "mul.lo.u32 %r1, %r1, %r3;\n"
      "st.global.u32 [%d0+-256], %r1;\n"
      "mov.u32 %r1, %r2;\n"
      "setp.lt.u32 %p2, %r3, 2;\n"
      "@%p2 bra $L_again;\n",
      400);
  EXPECT_EQ(fate_of(outcomes, "mov.u32 %r1, 5;"), Fate::not_read);
  EXPECT_EQ(fate_of(outcomes, "add.u64 %d0, %d0, 256; [another operation]"), Fate::killed)
      << "as the last loop reads it";
  EXPECT_EQ(fate_of(outcomes, "add.u32 %r2, %r0, 4;"), Fate::killed);
}

TEST(PtxMutants, NoOneReadsWhatABranchThatIsNotTakenLeadsTo) {
  const auto outcomes = try_mutants(
      "add.u64 %d0, %a0, %t4;\nld.global.u32 %r0, [%d0];\n$L_next:\nadd.u32 %r0, %r0, 3;\nst.global.u32 [%d0], %r0;\n"
      "add.u64 %d0, %d0, 256;\nsetp.gt.u32 %p1, %r0, 9999;\n@%p1 bra $L_next;\nret;\n",
      200);
  EXPECT_EQ(fate_of(outcomes, "add.u64 %d0, %d0, 256;"), Fate::not_read);
  EXPECT_EQ(fate_of(outcomes, "add.u32 %r0, %r0, 3; [another immediate]"), Fate::killed);
}

TEST(PtxMutants, AllInputsProveThatAComputationWithNumbersIsTheSame) {
  const std::string body =
      "add.u64 %d0, %a0, %t4;\n"
      "min.u32 %r7, %t, 99;\n"  // before the number
      "ld.global.u32 %r0, [%d0];\n"
      "min.u32 %r1, %r0, 70;\n"  // no number is that large
      "min.u32 %r2, %t, 90;\n"   // not a number
      "add.u32 %r3, %r1, %r2;\n"
      "min.u32 %r4, %r3, 500;\n"  // one of a number, and not only
      "add.u32 %r5, %r4, %r7;\n"
      "mov.u32 %r6, 300;\n"  // part of a computation with numbers
      "min.u32 %r6, %r6, %r1;\n"
      "add.u32 %r5, %r5, %r6;\n"
      "st.global.u32 [%d0], %r5;\n";
  const auto rule_of = [&](const std::string& text, bool all_inputs) {
    for (const Outcome& outcome : try_mutants(body, 200, "", all_inputs))
      if (outcome.change.find(text) != std::string::npos) return outcome.equivalent;
    return std::string("no such mutant");
  };
  EXPECT_EQ(rule_of("min.u32 %r1, %r0, 70; [another immediate]", true), "all inputs");
  EXPECT_EQ(rule_of("min.u32 %r1, %r0, 70; [another immediate]", false), "");
  EXPECT_EQ(rule_of("mov.u32 %r6, 300; [another immediate]", true), "all inputs");
  for (const char* other : {"min.u32 %r7, %t, 99; [another immediate]", "min.u32 %r2, %t, 90; [another immediate]",
                            "min.u32 %r4, %r3, 500; [another immediate]"})
    EXPECT_EQ(rule_of(other, true), "") << other;
}

TEST(PtxMutants, ARemovedBarrierIsMissedOnlyWhereNothingNeedsIt) {
  const std::string shared = ".shared .align 4 .b8 cells[256];\n";
  const std::string exchange =
      "mov.u32 %r0, cells;\nshl.b32 %r1, %t, 2;\nadd.u32 %r2, %r0, %r1;\nst.shared.u32 [%r2], %t;\nbar.sync 0;\n"
      "xor.b32 %r3, %r1, 252;\nadd.u32 %r4, %r0, %r3;\nld.shared.u32 %r5, [%r4];\n"
      "add.u64 %d0, %a0, %t4;\nst.global.u32 [%d0], %r5;\n";
  EXPECT_EQ(fate_of(try_mutants(exchange, 0, shared), "bar.sync"), Fate::killed);
  EXPECT_EQ(fate_of(try_mutants("bar.sync 0;\nadd.u64 %d0, %a0, %t4;\nst.global.u32 [%d0], %t;\n", 0), "bar.sync"),
            Fate::survived);
}

TEST(PtxMutants, ThatAnotherProgramKilledAreNotTried) {
  const std::string body = "add.u64 %d0, %a0, %t4;\nld.global.u32 %r0, [%d0];\nadd.u32 %r1, %r0, 5;\n";
  const Module module(kernel_text(body, 1));
  const Program program(module, "k");
  const auto before = Mutants(module, program, 5).outcomes();
  const std::string change = before[1].change;
  const auto after = Mutants(module, program, 5, {change}).outcomes();
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i].change, before[i].change);
    EXPECT_EQ(name(after[i].fate), before[i].change == change ? "killed" : "not executed");
  }
}

TEST(PtxMutants, AreTheSameInEveryProgram) {
  const std::string body = "add.u64 %d0, %a0, %t4;\nld.global.u32 %r0, [%d0];\nadd.u32 %r1, %r0, 5;\n";
  const auto first = try_mutants(body, 5), second = try_mutants(body, 5);
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].change, second[i].change);
}

std::size_t find_statement(const Body& body, const std::string& begin) {
  const auto is_it = [&](const Statement& statement) { return statement.text.starts_with(begin); };
  const auto found = std::find_if(body.statements.begin(), body.statements.end(), is_it);
  if (found == body.statements.end()) throw std::invalid_argument("no statement " + begin);
  return static_cast<std::size_t>(found - body.statements.begin());
}

/// equivalence() of the statement that begins like this, with its immediate one greater if it has one.
std::string rule(const std::string& body, const std::string& begin) {
  const Module module(kernel_text(body, 1));
  const Body parsed = parse_body(*module.find("k"));
  for (std::size_t i = 0; i < parsed.statements.size(); ++i)
    if (parsed.statements[i].text.starts_with(begin)) {
      Statement mutant = parsed.statements[i];
      for (Operand& operand : mutant.operands)
        if (operand.kind == Operand::Kind::immediate) ++operand.value;
      return equivalence(parsed, i, mutant);
    }
  return "no such statement";
}

TEST(PtxMutants, KnowsChangesWithoutEffect) {
  const std::string body =
      "add.u32 %r9, %t, 1;\n"  // no one reads it
      "mov.u64 %d1, 7;\nmov.u64 %d2, 3;\n"
      "or.b64 %d3, %d1, %d2;\nand.b64 %d4, %d3, -4294967296;\nsetp.ne.s64 %p1, %d4, 0;\n@%p1 bra $L_wide;\n"
      "cvt.u32.u64 %r1, %d1;\ncvt.u32.u64 %r2, %d2;\ndiv.u32 %r3, %r1, %r2;\ncvt.u64.u32 %d5, %r3;\nbra.uni $L_end;\n"
      "$L_wide:\ndiv.s64 %d5, %d1, %d2;\n$L_end:\n"
      "and.b64 %d6, %d3, 1;\nst.global.u64 [%a0], %d5;\n";
  EXPECT_EQ(rule(body, "add.u32 %r9"), "unused");
  EXPECT_EQ(rule(body, "and.b64 %d4"), "width");
  EXPECT_EQ(rule(body, "setp.ne.s64"), "width");
  EXPECT_EQ(rule(body, "@%p1 bra"), "width");
  EXPECT_EQ(rule(body, "or.b64 %d3"), "") << "%d6 depends on it, too";
  EXPECT_EQ(rule(body, "div.s64"), "wide division");
  EXPECT_EQ(rule(body, "div.u32"), "");
}

TEST(PtxMutants, KnowsWhichOfTwoEqualNumbersDoesNotMatter) {
  const auto rule_of = [](const char* begin, const char* to) {
    const Module module(
        kernel_text("ld.global.f32 %f0, [%a0];\nld.global.f32 %f1, [%a0+4];\n"
                    "setp.lt.f32 %p0, %f0, %f1;\nselp.f32 %f2, %f0, %f1, %p0;\n"
                    "setp.gt.f32 %p1, %f0, %f1;\nsetp.num.f32 %p2, %f0, %f0;\nand.pred %p3, %p1, %p2;\n"
                    "selp.f32 %f3, %f1, %f0, %p3;\n"
                    "setp.ge.f32 %p4, %f2, %f3;\nselp.f32 %f4, %f2, %f1, %p4;\n"  // another number
                    "setp.lt.f32 %p5, %f4, 0f00000000;\nselp.f32 %f5, 0f00000000, %f4, %p5;\n"
                    "st.global.f32 [%a0], %f5;\n",
                    1));
    const Body body = parse_body(*module.find("k"));
    const std::size_t at = find_statement(body, begin);
    Statement mutant = body.statements[at];
    mutant.opcode[1] = to;
    return equivalence(body, at, mutant);
  };
  EXPECT_EQ(rule_of("setp.lt.f32 %p0", "le"), "tie");
  EXPECT_EQ(rule_of("setp.lt.f32 %p0", "gt"), "");
  EXPECT_EQ(rule_of("setp.gt.f32 %p1", "ge"), "tie");
  EXPECT_EQ(rule_of("setp.ge.f32 %p4", "gt"), "");
  EXPECT_EQ(rule_of("setp.lt.f32 %p5", "le"), "tie");
}

TEST(PtxMutants, KnowsSquaresAndTruths) {
  const std::string body =
      "ld.global.f32 %f0, [%a0];\nld.global.f32 %f1, [%a0+4];\nld.global.u32 %r0, [%a0+8];\n"
      "sub.f32 %f2, %f0, %f1;\nfma.rn.f32 %f3, %f2, %f2, %f0;\n"
      "sub.f32 %f4, %f0, %f1;\nfma.rn.f32 %f5, %f4, %f4, %f4;\nadd.f32 %f6, %f3, %f5;\n"
      "setp.ne.s32 %p0, %r0, 0;\nselp.u32 %r1, 1, 0, %p0;\nselp.u32 %r2, 1, 0, %p0;\n"
      "or.b32 %r3, %r1, %r0;\nand.b32 %r4, %r3, 255;\nsetp.ne.s32 %p1, %r4, 0;\n"
      "selp.f32 %f7, %f6, %f0, %p1;\nst.global.f32 [%a0], %f7;\nst.global.u32 [%a0+8], %r2;\n";
  const Module module(kernel_text(body, 1));
  const Body parsed = parse_body(*module.find("k"));
  const auto rule_of = [&](const std::string& begin) {
    const std::size_t at = find_statement(parsed, begin);
    Statement mutant = parsed.statements[at];
    if (mutant.opcode[0] == "sub") std::swap(mutant.operands[1], mutant.operands[2]);
    else ++mutant.operands[1].value;
    return equivalence(parsed, at, mutant);
  };
  EXPECT_EQ(rule_of("sub.f32 %f2"), "square");
  EXPECT_EQ(rule_of("sub.f32 %f4"), "") << "also added";
  EXPECT_EQ(rule_of("selp.u32 %r1"), "truth");
  EXPECT_EQ(rule_of("selp.u32 %r2"), "") << "stored";
}

TEST(PtxMutants, KnowsHowLoopsOverDimensionsAreCompiled) {
  const std::string body =
      "mov.u32 %r1, 3;\nmov.u32 %r2, 5;\nmov.u32 %r3, 0;\nmax.s32 %r4, %r1, 1;\nmax.s32 %r9, %r2, 1;\n"
      "$L_next:\nadd.u32 %r3, %r3, 1;\nsetp.ge.s32 %p0, %r3, %r1;\n@%p0 bra $L_outermost;\n"
      "mul.hi.u32 %r5, %r2, 77;\nsub.u32 %r2, %r2, %r5;\n$L_outermost:\nadd.u32 %r6, %r2, 1;\n"
      "add.u32 %r4, %r4, -1;\nsetp.ne.s32 %p1, %r4, 0;\n@%p1 bra $L_next;\n"
      "setp.eq.s32 %p2, %r9, 0;\n@%p2 bra $L_plainly;\nadd.u32 %r7, %r6, 2;\nmul.hi.u32 %r7, %r7, 9;\nbra.uni $L_end;\n"
      "$L_plainly:\nadd.u32 %r7, %r6, 4;\ndiv.u32 %r7, %r7, %r2;\n$L_end:\nst.global.u32 [%a0], %r7;\n";
  EXPECT_EQ(rule(body, "setp.ge.s32"), "outermost");
  EXPECT_EQ(rule(body, "add.u32 %r3"), "outermost") << "nothing but that asks for the number of the dimension";
  EXPECT_EQ(rule(body, "max.s32 %r4"), "no dimension");
  EXPECT_EQ(rule(body, "max.s32 %r9"), "magic") << "%r2 is no rank";
  EXPECT_EQ(rule(body, "setp.eq.s32"), "magic");
  EXPECT_EQ(rule(body, "@%p2 bra"), "magic");
  EXPECT_EQ(rule(body, "setp.ne.s32"), "");
  EXPECT_EQ(rule(body, "mul.hi.u32 %r5"), "");
}

TEST(PtxMutants, KnowsThatAResultIsNotRepeated) {
  const auto rule_in = [](const std::string& kernel) {
    const Module module(".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry " + kernel + "(.param .u32 " +
                        kernel + "_param_2)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<4>;\nld.param.u32 %r1, [" + kernel +
                        "_param_2];\nand.b32 %r2, %r1, 2;\nsetp.eq.s32 %p1, %r2, 0;\n@%p1 trap;\nret;\n}\n");
    const Body body = parse_body(*module.find(kernel));
    Statement mutant = body.statements[1];
    mutant.operands[2].value = 3;
    return equivalence(body, 1, mutant);
  };
  EXPECT_EQ(rule_in("packed_loop_kernel"), "result");
  EXPECT_EQ(rule_in("other_kernel"), "");
}

TEST(PtxMutants, KnowsWhatATruncationOverrules) {
  const std::string body =
      "cvt.rn.f32.u32 %f1, %t;\n"
      "setp.ge.f32 %p0, %f1, 0fCF000000;\nsetp.lt.f32 %p1, %f1, 0f4F000000;\nand.pred %p2, %p0, %p1;\n"
      "selp.f32 %f2, %f1, 0f00000000, %p2;\ncvt.rzi.s32.f32 %r1, %f2;\n"
      "setp.ge.f32 %p3, %f1, 0f4F000000;\nsetp.lt.f32 %p4, %f1, 0fCF000000;\n"
      "selp.b32 %r2, -2147483648, %r1, %p4;\nselp.b32 %r3, 2147483647, %r2, %p3;\nst.global.u32 [%a0], %r3;\n";
  // The rule of the statement so many after the first comparison.
  const auto rule_of = [&](std::size_t offset, const char* to, std::int64_t more) {
    const Module module(kernel_text(body, 1));
    const Body parsed = parse_body(*module.find("k"));
    std::size_t at = offset;
    while (!parsed.statements[at - offset].text.starts_with("setp.ge.f32")) ++at;
    Statement mutant = parsed.statements[at];
    if (*to) (mutant.opcode[0] == "setp" ? mutant.opcode[1] : mutant.opcode[0]) = to;
    mutant.operands[2].value += more;
    return equivalence(parsed, at, mutant);
  };
  constexpr std::int64_t eighth = 1 << 20;
  EXPECT_EQ(rule_of(0, "", eighth), "overruled");
  EXPECT_EQ(rule_of(0, "gt", 0), "") << "the lowest number would become 0";
  EXPECT_EQ(rule_of(1, "", eighth), "overruled");
  EXPECT_EQ(rule_of(1, "le", 0), "overruled");
  EXPECT_EQ(rule_of(2, "or", 0), "overruled");
  EXPECT_EQ(rule_of(5, "gt", 0), "") << "2^31 would become 0";
  EXPECT_EQ(rule_of(5, "", eighth), "");
  EXPECT_EQ(rule_of(6, "le", 0), "overruled");
  EXPECT_EQ(rule_of(6, "", eighth), "");
}

TEST(PtxMutants, KnowsThatEightBitsOfTheLowestNumberAreZero) {
  // The predicates' numbers are those of `below` and of what the selection reads.
  const auto rule_of = [](const char* begin, const char* to, std::int64_t more, const std::string& below) {
    const Module module(
        kernel_text("cvt.rn.f32.u32 %f1, %t;\n"
                    "setp.ge.f32 %p0, %f1, 0fCF000000;\nsetp.lt.f32 %p1, %f1, 0f4F000000;\nand.pred %p2, %p0, %p1;\n"
                    "selp.f32 %f2, %f1, 0f00000000, %p2;\ncvt.rzi.s32.f32 %r1, %f2;\ncvt.u16.u32 %h1, %r1;\n"
                    "setp.lt.f32 %p3, %f1, 0fCF000000;\nselp.b16 %h2, " +
                        below +
                        ", %h1, %p3;\n"
                        "setp.ge.f32 %p4, %f1, 0f4F000000;\nselp.b16 %h3, -1, %h2, %p4;\nst.global.u8 [%a0], %h3;\n",
                    1));
    const Body body = parse_body(*module.find("k"));
    const std::size_t at = find_statement(body, begin);
    Statement mutant = body.statements[at];
    if (*to) mutant.opcode[1] = to;
    mutant.operands[2].value += more;
    return equivalence(body, at, mutant);
  };
  constexpr std::int64_t eighth = 1 << 20;
  EXPECT_EQ(rule_of("setp.ge.f32 %p0", "gt", 0, "0"), "overruled");
  EXPECT_EQ(rule_of("setp.ge.f32 %p0", "gt", 0, "7"), "") << "the lowest number would become 0";
  EXPECT_EQ(rule_of("setp.lt.f32 %p3", "", eighth, "0"), "overruled");
  EXPECT_EQ(rule_of("setp.lt.f32 %p3", "", eighth, "7"), "");
  EXPECT_EQ(rule_of("setp.lt.f32 %p3", "gt", 0, "0"), "") << "all others would become 0";
}

TEST(PtxMutants, KnowsForWhichDtypesALoopStores) {
  // The rule of a loop that computes in the type with this mangled name; dtypes 7, 3 and others have branches of their
  // own.
  const auto rule_of = [](const std::string& type, const std::string& begin, std::int64_t more) {
    const std::string name = "_ZN6minima9pointwise19strided_loop_kernelINS0_7functor1FE" + type + "J" + type + "EEEvv";
    const std::string dtypes = "[" + name + "_param_2+16];\n";
    const Module module(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry " + name + "(.param .align 8 .b8 " + name +
        "_param_2[24])\n{\n.reg .pred %p<4>;\n.reg .b16 %rs<4>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<2>;\n" +
        "ld.param.u64 %rd1, [" + name + "_param_2];\nld.param.v2.u8 {%rs1, %rs2}, " + dtypes +
        "mov.u32 %r1, 5;\n"
        "setp.eq.s16 %p1, %rs1, 3;\n@%p1 bra $L_whole;\n"
        "setp.gt.s16 %p2, %rs1, 8;\n@%p2 bra $L_end;\n"
        "setp.eq.s16 %p3, %rs2, 3;\n@%p3 bra $L_end;\n"
        "add.u32 %r2, %r1, 1;\nst.global.u32 [%rd1], %r2;\nbra.uni $L_end;\n"
        "$L_whole:\nadd.u32 %r3, %r1, 1;\nst.global.u32 [%rd1], %r3;\n$L_end:\nret;\n}\n");
    const Body body = parse_body(*module.find(name));
    const std::size_t at = find_statement(body, begin);
    Statement mutant = body.statements[at];
    for (Operand& operand : mutant.operands)
      if (operand.kind == Operand::Kind::immediate) operand.value += more;
    return equivalence(body, at, mutant);
  };
  EXPECT_EQ(rule_of("f", "add.u32 %r3", 1), "result type") << "floating numbers are not stored as int32";
  EXPECT_EQ(rule_of("i", "add.u32 %r3", 1), "");
  EXPECT_EQ(rule_of("f", "add.u32 %r2", 1), "");
  EXPECT_EQ(rule_of("i", "add.u32 %r2", 1), "result type");
  EXPECT_EQ(rule_of("f", "setp.eq.s16 %p1", 1), "result type") << "neither 3 nor 4";
  EXPECT_EQ(rule_of("i", "setp.eq.s16 %p1", 1), "");
  EXPECT_EQ(rule_of("f", "setp.gt.s16 %p2", 1), "result type");
  EXPECT_EQ(rule_of("f", "setp.gt.s16 %p2", -1), "") << "float64 would not be stored";
  EXPECT_EQ(rule_of("f", "setp.eq.s16 %p3", 1), "") << "the dtype of an input";
  EXPECT_EQ(rule_of("h", "setp.eq.s16 %p3", 1), "");
}

}  // namespace
}  // namespace simulated::ptx::mutants_test
