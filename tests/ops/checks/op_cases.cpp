#include "tests/ops/checks/op_cases.h"

#include "tests/ops/checks/check.h"
#include "tests/support/device.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/settings.h>
#include <minima/tensor/threads/parallel.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <deque>

namespace minima::test {

std::vector<DType> all_dtypes() {
  std::vector<DType> all;
  for (int i = 0; i < real_dtype_count; ++i) all.push_back(static_cast<DType>(i));
  return all;
}

namespace {

std::vector<DType> dtypes_that(bool (*wanted)(DType)) {
  std::vector<DType> chosen = all_dtypes();
  std::erase_if(chosen, [&](DType dtype) { return !wanted(dtype); });
  return chosen;
}

}  // namespace

std::vector<DType> numeric_dtypes() {
  return dtypes_that([](DType d) { return d != DType::boolean; });
}
std::vector<DType> integer_dtypes() {
  return dtypes_that([](DType d) { return is_integer(d); });
}
std::vector<DType> floating_dtypes() {
  return dtypes_that([](DType d) { return is_floating(d); });
}
std::vector<DType> full_floating_dtypes() { return {float32, float64}; }

DType same_dtype(DType dtype) { return dtype; }
DType floating_dtype(DType dtype) { return is_floating(dtype) ? dtype : float32; }
DType summed_dtype(DType dtype) { return is_floating(dtype) ? dtype : int64; }

OpCases& OpCases::dtypes(std::vector<DType> claimed) { return dtypes_ = std::move(claimed), *this; }
OpCases& OpCases::result_dtype(DTypeRule rule) { return rule_ = rule, *this; }
OpCases& OpCases::result_dtype(int output, DTypeRule rule) { return rules_.emplace_back(output, rule), *this; }
OpCases& OpCases::result_layout(ResultLayout layout) { return layout_ = layout, *this; }
OpCases& OpCases::no_gradient() { return has_gradient_ = false, *this; }
OpCases& OpCases::first_order_only() { return first_order_only_ = true, *this; }
OpCases& OpCases::optional_input(int i) { return optional_.push_back(i), *this; }
OpCases& OpCases::tolerance(double factor) { return tolerance_ = factor, *this; }
OpCases& OpCases::without(const std::string& kind, const std::string&) { return without_.push_back(kind), *this; }
OpCases& OpCases::in_place(TableFunction<void(In)> form) { return calls_.back().in_place = std::move(form), *this; }
OpCases& OpCases::contraction(double terms) { return calls_.back().contraction = terms, *this; }

bool OpCases::may_vary() const { return by_cudnn_ && runs_cuda_kernels() && !is_deterministic(); }

OpCases& OpCases::pointwise_inputs(int count, const Draw& like, bool with_specials) {
  const auto row = [&](std::initializer_list<Shape> shapes) {
    std::vector<Draw> draws;
    for (int i = 0; i < count; ++i) {
      draws.push_back(like);
      draws.back().shape = shapes.begin()[static_cast<std::size_t>(i) % shapes.size()];
    }
    calls_.back().rows.push_back(std::move(draws));
  };
  row({{3, 4}});
  row({Shape{}});
  row({{2, 2, 2, 3}});
  row({{0, 3}});
  // A GPU's loop over dimensions is unrolled by four: three dimensions, and six; then the same in packs (Form::gaps).
  row({{3, 5, 6}});
  row({{2, 2, 2, 2, 2, 3}});
  row({{3, 1, 5, 1, 8}});
  row({{2, 3, 2, 2, 2, 16}});
  row({{150, 300}});
  if (count > 1) {
    row({{3, 4}, {4}});
    row({{1, 4}, {3, 1}});
    row({Shape{}, {2, 3}});
    row({{5, 1, 3}, {0, 1}});
    row({{100, 1}, {3, 1, 150}});
    row({{3, 1, 3, 1, 3, 1, 2, 1}, {1, 2, 1, 2, 1, 2, 1, 2}});  // twice through that loop
  }
  if (!with_specials) return *this;
  // Every combination: special number i of the first input along one dimension, j of the second along another.
  std::vector<Draw> draws;
  for (int i = 0; i < count; ++i) {
    draws.push_back(specials());
    draws.back().shape = Shape::filled(count, 1);
    draws.back().shape[i] = 12;
  }
  calls_.back().rows.push_back(std::move(draws));
  return *this;
}

bool OpCases::claims(DType dtype) const { return std::find(dtypes_.begin(), dtypes_.end(), dtype) != dtypes_.end(); }

DType OpCases::result_dtype_of(int output, DType dtype) const {
  for (const auto& [index, rule] : rules_)
    if (index == output) return rule(dtype);
  return rule_(dtype);
}

bool OpCases::is_optional(int input) const {
  return std::find(optional_.begin(), optional_.end(), input) != optional_.end();
}

bool OpCases::does_without(const std::string& kind) const {
  return std::find(without_.begin(), without_.end(), kind) != without_.end();
}

std::string OpCases::readable(const char* mangled) {
  const std::string text = mangled;  // N6minima10ShapeErrorE
  const std::size_t at = text.find_last_of("0123456789", text.size() - 2);
  return at == std::string::npos ? text : text.substr(at + 1, text.size() - at - 2);
}

namespace {

std::deque<OpCases>& tables() {
  static std::deque<OpCases> all;
  return all;
}

/// layer_norm → LayerNormCases, add scalar → AddScalarCases, fill_ → Fill_Cases.
std::string suite_name(const std::string& name) {
  std::string suite;
  bool upper = true;
  for (const char c : name) {
    if (c == ' ' || (c == '_' && &c != &name.back())) {
      upper = true;
      continue;
    }
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') continue;
    suite += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  return suite + "Cases";
}

class CheckTest : public testing::Test {
 public:
  CheckTest(const OpCases& cases, const Check& check) : cases_(cases), check_(check) {}
  void TestBody() override {
    SKIP_WITHOUT_TEST_DEVICE();
    const std::vector<std::string> complaints = check_.run(cases_);
    constexpr std::size_t shown = 8;
    for (std::size_t i = 0; i < complaints.size() && i < shown; ++i) ADD_FAILURE() << complaints[i];
    if (complaints.size() > shown) ADD_FAILURE() << "and " << complaints.size() - shown << " more complaints";
  }

 private:
  const OpCases& cases_;
  const Check& check_;
};

}  // namespace

bool OpCases::check() {
  const OpCases& kept = tables().emplace_back(std::move(*this));
  for (const Check& check : op_checks())
    if (check.applies(kept))
      testing::RegisterTest(suite_name(kept.name()).c_str(), check.name, nullptr, nullptr, __FILE__, __LINE__,
                            [&kept, &check]() -> CheckTest* { return new CheckTest(kept, check); });
  return true;
}

const std::deque<OpCases>& all_op_cases() { return tables(); }

namespace {

std::deque<FunctionCases>& functions() {
  static std::deque<FunctionCases> all;
  return all;
}

}  // namespace

bool FunctionCases::check() { return functions().push_back(std::move(*this)), true; }

const std::deque<FunctionCases>& all_function_cases() { return functions(); }

Tensor sized(const Shape& shape, DType dtype) { return empty(shape, {.dtype = dtype}); }

Tensor endless() { return expand(ones({1}), {INT64_MAX}); }

}  // namespace minima::test
