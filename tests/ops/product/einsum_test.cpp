#include <minima/ops/product/products.h>

#include "tests/ops/checks/op_cases.h"

#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <map>

namespace minima::einsum_test {
namespace {

using namespace test;

/// The definition: a loop over all letters. `terms` are the operands' letters, `result` the output's.
auto by_loops(std::vector<std::string> terms, std::string result) {
  return [=](const std::vector<Doubles>& in) {
    std::map<char, std::int64_t> sizes;
    for (std::size_t i = 0; i < terms.size(); ++i)
      for (std::size_t d = 0; d < terms[i].size(); ++d)
        sizes[terms[i][d]] = std::max(sizes[terms[i][d]], in[i].shape[static_cast<int>(d)]);
    Shape all, shape;
    std::map<char, int> place;
    for (const auto& [letter, size] : sizes) {
      place[letter] = all.rank();
      all.push_back(size);
    }
    for (const char letter : result) shape.push_back(sizes[letter]);
    Doubles y(shape);
    each_index(all, [&](const Shape& at) {
      double product = 1;
      for (std::size_t i = 0; i < terms.size(); ++i) {
        Shape index;
        for (std::size_t d = 0; d < terms[i].size(); ++d)
          index.push_back(in[i].shape[static_cast<int>(d)] == 1 ? 0 : at[place.at(terms[i][d])]);
        product *= in[i][index];
      }
      Shape to;
      for (const char letter : result) to.push_back(at[place.at(letter)]);
      y[to] += product;
    });
    return y;
  };
}

auto of(const char* equation) {
  return [=](In in) { return einsum(equation, in); };
}

[[maybe_unused]] const bool einsum_cases =
    OpCases("einsum")
        .autocast("lower precision")
        .without("hidden", "it is made of other operators")
        .tolerance(4)
        .on(of("ij,jk->ik"), by_loops({"ij", "jk"}, "ik"), "matrix product")
        .inputs(normal({3, 4}), normal({4, 2}))
        .inputs(normal({3, 0}), normal({0, 2}))
        .inputs(normal({2, 190}), normal({190, 220}))
        .on(of("bqhd,bkhd->bhqk"), by_loops({"bqhd", "bkhd"}, "bhqk"), "attention")
        .inputs(normal({2, 3, 2, 2}), normal({2, 2, 2, 2}))
        .on(of("ij->ji"), by_loops({"ij"}, "ji"), "transpose")
        .inputs(normal({2, 3}))
        .on(of("ij"), by_loops({"ij"}, "ij"), "implicit")
        .inputs(normal({2, 3}))
        .on(of("ba,cb"), by_loops({"ba", "cb"}, "ac"), "implicit, alphabetical")
        .inputs(normal({2, 3}), normal({4, 2}))
        .on(of("ii->i"), by_loops({"ii"}, "i"), "diagonal")
        .inputs(normal({4, 4}))
        .on(of("ii"), by_loops({"ii"}, ""), "trace")
        .inputs(normal({4, 4}))
        .on(of("i,j->ij"), by_loops({"i", "j"}, "ij"), "outer product")
        .inputs(normal({3}), normal({4}))
        .on(of("ij,ij->"), by_loops({"ij", "ij"}, ""), "inner product")
        .inputs(normal({3, 4}), normal({3, 4}))
        .on(of("ij,j,ik->k"), by_loops({"ij", "j", "ik"}, "k"), "three operands")
        .inputs(normal({3, 4}), normal({4}), normal({3, 2}))
        .on(of("ij,kl->i"), by_loops({"ij", "kl"}, "i"), "sums before products")
        .inputs(normal({3, 4}), normal({2, 2}))
        .on(of("... i j , j k -> ... i k"), by_loops({"abij", "jk"}, "abik"), "ellipsis of two")
        .inputs(normal({2, 2, 2, 3}), normal({3, 2}))
        .on(of("...i,...i->..."), by_loops({"abi", "bi"}, "ab"), "ellipses of different length")
        .inputs(normal({2, 3, 2}), normal({3, 2}))
        .on(of("ab,ab->ab"), by_loops({"ab", "ab"}, "ab"), "broadcast")
        .inputs(normal({1, 3}), normal({4, 3}))
        .recorded("einsum.bqhd", "lambda a, b: torch.einsum('bqhd,bkhd->bhqk', a, b)",
                  [](In in) { return einsum("bqhd,bkhd->bhqk", in); })
        .recorded("einsum.trace", "lambda a: torch.einsum('ii', a)", [](In in) { return einsum("ii", in); })
        .recorded("einsum.three", "lambda a, b, c: torch.einsum('ij,jk,kl->il', a, b, c)",
                  [](In in) { return einsum("ij,jk,kl->il", in); })
        .error<ValueError>([] { einsum("ij,jk", {zeros({2, 2})}); }, "einsum: \"ij,jk\": has 2 terms for 1 tensors")
        .error<ValueError>([] { einsum("i->j", {zeros({2})}); },
                           "einsum: \"i->j\": the output has a letter that no operand has")
        .error<ValueError>([] { einsum("i->ii", {zeros({2})}); }, "einsum: \"i->ii\": the output repeats a letter")
        .error<ValueError>([] { einsum("i1", {zeros({2, 2})}); }, "einsum: \"i1\": '1' is not a letter")
        .error<ValueError>([] { einsum("..i", {zeros({2, 2})}); },
                           "einsum: \"..i\": dots must form a single ... per term")
        .error<ShapeError>([] { einsum("ij", {zeros({2})}); }, "einsum: \"ij\": term 0 has 2 letters for float32 [2]")
        .error<ShapeError>([] { einsum("ij,jk->ik", {zeros({2, 3}), zeros({4, 2})}); },
                           "einsum: \"ij,jk->ik\": a letter has sizes 3 and 4")
        .error<ShapeError>([] { einsum("ii", {zeros({2, 3})}); },
                           "einsum: \"ii\": a letter has two different sizes in float32 [2, 3]")
        .error<ValueError>([] { einsum("ij,jk", {empty({2, 3}), empty({3, 2}), empty({1})}); },
                           "einsum: \"ij,jk\": has 2 terms for 3 tensors")
        .error<DTypeError>([] { einsum("i,i", {empty({2}, {.dtype = DType::int64}), empty({2})}); },
                           "einsum: operands must be floating, got int64 [2]; convert it with to()")
        .check();

}  // namespace
}  // namespace minima::einsum_test
