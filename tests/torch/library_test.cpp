#include <torch/library.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/torch.h>

#include <string>
#include <tuple>
#include <vector>

// Operators that programs register. References are LibTorch's dispatcher and the kernels' formulas.

namespace minima::library_test {
namespace {

using at::Tensor;

int calls = 0;

Tensor twice(const Tensor& x) { return x * 2; }
Tensor shifted(const Tensor& x, c10::SymInt by) {
  ++calls;
  return x + static_cast<double>(static_cast<std::int64_t>(by));
}

template <class Signature>
auto operator_named(const char* name, const char* overload = "") {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, overload).typed<Signature>();
}

/// x³ with a gradient of its own, as operators outside of LibTorch have it: an Autograd kernel that calls the others.
Tensor cube(const Tensor& x) { return operator_named<Tensor(const Tensor&)>("minima_test::cube").call(x); }
Tensor cube_kernel(const Tensor& x) {
  ++calls;
  return x * x * x;
}
struct CubeFunction : torch::autograd::Function<CubeFunction> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x) {
    const at::AutoDispatchBelowADInplaceOrView guard;
    context->save_for_backward({x});
    return cube(x);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    return {gradients[0] * 3 * context->get_saved_variables()[0].square()};
  }
};
Tensor cube_autograd(const Tensor& x) { return CubeFunction::apply(x); }
Tensor cube_autocast(const Tensor& x) {
  const c10::impl::ExcludeDispatchKeyGuard guard(c10::DispatchKey::Autocast);
  return cube(x.to(at::kBFloat16));
}

}  // namespace

TORCH_LIBRARY(minima_test, m) {
  m.def("twice", &twice);
  m.def("shifted.by(Tensor x, SymInt by=1) -> Tensor", TORCH_FN(shifted));
  m.def("cube(Tensor x) -> Tensor");
}
TORCH_LIBRARY_IMPL(minima_test, CPU, m) { m.impl(TORCH_SELECTIVE_NAME("minima_test::cube"), TORCH_FN(cube_kernel)); }
TORCH_LIBRARY_IMPL(minima_test, Autograd, m) { m.impl("cube", TORCH_FN(cube_autograd)); }
TORCH_LIBRARY_IMPL(minima_test, Autocast, m) { m.impl("cube", TORCH_FN(cube_autocast)); }

namespace {

TEST(TorchLibrary, FunctionsOfTensorsAreDifferentiable) {
  const Tensor x = torch::ones({2}, torch::requires_grad());
  operator_named<Tensor(const Tensor&)>("minima_test::twice").call(x).sum().backward();
  EXPECT_TRUE(torch::equal(x.grad(), torch::full({2}, 2.0)));
}

TEST(TorchLibrary, SizesAreNumbersInBothForms) {
  const Tensor x = torch::zeros({1});
  const auto as_number = operator_named<Tensor(const Tensor&, std::int64_t)>("minima_test::shifted", "by");
  const auto as_size = operator_named<Tensor(const Tensor&, c10::SymInt)>("minima_test::shifted", "by");
  EXPECT_EQ(as_number.call(x, 3).item<float>(), 3);
  EXPECT_EQ(as_size.call(x, 4).item<float>(), 4);
}

TEST(TorchLibrary, TheAutogradKernelCallsTheDevices) {
  calls = 0;
  const Tensor x = torch::tensor({2.0f, -1.0f}, torch::requires_grad());
  const Tensor y = cube(x);
  EXPECT_EQ(calls, 1);
  EXPECT_NE(y.grad_fn()->name().find("CubeFunction"), std::string::npos);
  y.sum().backward();
  EXPECT_TRUE(torch::equal(x.grad(), torch::tensor({12.0f, 3.0f})));
  const c10::InferenceMode guard;
  EXPECT_EQ(cube(x).grad_fn(), nullptr) << "below autograd";
}

TEST(TorchLibrary, TheAutocastKernelComesFirst) {
  const Tensor x = torch::tensor({2.0f});
  EXPECT_EQ(cube(x).scalar_type(), at::kFloat);
  at::autocast::set_autocast_enabled(at::kCPU, true);
  const Tensor y = cube(x);
  at::autocast::set_autocast_enabled(at::kCPU, false);
  EXPECT_EQ(y.scalar_type(), at::kBFloat16);
  EXPECT_EQ(y.item<float>(), 8);
}

TEST(TorchLibrary, RefusesWhatItCannotCall) {
  EXPECT_THROW(operator_named<Tensor(const Tensor&)>("minima_test::absent"), c10::Error);
  EXPECT_THROW(operator_named<Tensor(Tensor)>("minima_test::cube").call(torch::ones({1})), c10::Error)
      << "another signature than the kernel's";
  torch::Library m(torch::Library::FRAGMENT, "minima_test");
  EXPECT_THROW(m.def("cube(Tensor x) -> Tensor"), c10::Error) << "defined already";
  EXPECT_THROW(m.def("other::cube(Tensor x) -> Tensor"), c10::Error);
  EXPECT_THROW(m.def("open(Tensor x -> Tensor"), c10::Error);
  EXPECT_THROW(m.def("without_result(Tensor x)"), c10::Error);
  m.def("unfinished(Tensor x) -> Tensor");
  const auto unfinished = operator_named<Tensor(const Tensor&)>("minima_test::unfinished");
  EXPECT_THROW(unfinished.call(torch::ones({1})), c10::Error) << "no kernel";
  m.impl("unfinished", c10::DispatchKey::CUDA, TORCH_FN(twice));
  EXPECT_THROW(unfinished.call(torch::ones({1})), c10::Error) << "a kernel for another device";
  m.impl("unfinished", torch::dispatch(c10::DispatchKey::CPU, TORCH_FN(twice)));
  EXPECT_EQ(unfinished.call(torch::ones({1})).item<float>(), 2);
  EXPECT_THROW(m.impl("unfinished", c10::DispatchKey::CPU, TORCH_FN(twice)), c10::Error) << "registered already";
}

TEST(TorchLibrary, OperatorsEndWithTheirLibrary) {
  {
    torch::Library m(torch::Library::DEF, "minima_short");
    m.def("twice", [](const Tensor& x) { return x * 2; });
    EXPECT_NO_THROW(operator_named<Tensor(const Tensor&)>("minima_short::twice"));
  }
  EXPECT_THROW(operator_named<Tensor(const Tensor&)>("minima_short::twice"), c10::Error);
  torch::Library again(torch::Library::DEF, "minima_short");
  EXPECT_NO_THROW(again.def("twice", &twice));
}

/// Operators with the fallback for gradients.
class Fallback : public testing::Test {
 protected:
  template <class F>
  void define(const char* name, const char* schema, F kernel) {
    m_.def(schema);
    m_.impl(name, c10::DispatchKey::CPU, kernel);
    m_.impl(name, c10::DispatchKey::Autograd, torch::autograd::autogradNotImplementedFallback());
    m_.impl(name, c10::DispatchKey::ADInplaceOrView, torch::autograd::autogradNotImplementedInplaceOrViewFallback());
  }

  torch::Library m_{torch::Library::DEF, "minima_fallback"};
};

TEST_F(Fallback, ThrowsInBackwardOnly) {
  define("pair", "pair(Tensor a, Tensor? b, int n=(1)) -> (Tensor, Tensor, int)",
         [](const Tensor& a, const std::optional<Tensor>& b, std::int64_t n) {
           return std::tuple(a + b.value_or(a), (a > 0).to(at::kLong), n);
         });
  const auto pair = operator_named<std::tuple<Tensor, Tensor, std::int64_t>(const Tensor&, const std::optional<Tensor>&,
                                                                            std::int64_t)>("minima_fallback::pair");
  const Tensor x = torch::ones({1}, torch::requires_grad());
  const auto [sum, is_positive, n] = pair.call(x, {}, 7);
  EXPECT_EQ(n, 7);
  EXPECT_FALSE(is_positive.requires_grad()) << "integers have no gradient";
  try {
    sum.backward();
    FAIL() << "there is a gradient";
  } catch (const c10::Error& error) {
    EXPECT_NE(std::string(error.what()).find("derivative for minima_fallback::pair is not implemented"),
              std::string::npos)
        << error.what();
  }
  EXPECT_FALSE(std::get<0>(pair.call(x.detach(), {}, 7)).requires_grad());
}

TEST_F(Fallback, ChecksAndRecordsChangesInPlace) {
  define("add_to", "add_to(Tensor(a!) a, Tensor b) -> Tensor(a!)",
         [](const Tensor& a, const Tensor& b) { return a.add_(b); });
  const auto add_to = operator_named<Tensor(const Tensor&, const Tensor&)>("minima_fallback::add_to");
  const Tensor leaf = torch::ones({2}, torch::requires_grad()), b = torch::ones({2});
  EXPECT_THROW(add_to.call(leaf, b), c10::Error) << "a leaf";
  const Tensor h = leaf * 1;
  const auto version = h._version();
  EXPECT_EQ(add_to.call(h, b).unsafeGetTensorImpl(), h.unsafeGetTensorImpl());
  EXPECT_GT(h._version(), version);
  EXPECT_TRUE(torch::equal(h.detach(), torch::full({2}, 2.0f)));
  EXPECT_EQ(h.grad_fn()->name(), "minima_fallback::add_to");
  EXPECT_THROW(h.sum().backward(), c10::Error);
}

TEST_F(Fallback, ViewsCannotBeChanged) {
  define("window", "window(Tensor(a) x) -> Tensor(a)", [](const Tensor& x) { return x.slice(0, 0, 1); });
  const auto window = operator_named<Tensor(const Tensor&)>("minima_fallback::window");
  const Tensor x = torch::ones({2}, torch::requires_grad()) * 1;
  const Tensor view = window.call(x);
  EXPECT_TRUE(view.is_view());
  EXPECT_THROW(view.add_(1), c10::Error);
  x.add_(1);
  EXPECT_THROW((void)view.grad_fn(), c10::Error) << "the base has changed";
  define("second", "second(Tensor a, Tensor(b) x) -> (Tensor, Tensor(b))",
         [](const Tensor& a, const Tensor& x) { return std::tuple(a.clone(), x.slice(0, 0, 1)); });
  const auto second =
      operator_named<std::tuple<Tensor, Tensor>(const Tensor&, const Tensor&)>("minima_fallback::second");
  EXPECT_THROW(second.call(x, x), c10::Error) << "a view of the second argument";
}

}  // namespace
}  // namespace minima::library_test
