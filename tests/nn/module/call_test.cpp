#include "tests/nn/toy_modules.h"

#include <minima/nn/containers/sequential.h>

#include <gtest/gtest.h>

// Calls of modules: hooks, other signatures, module paths in errors.

namespace call_test {
namespace {

using namespace minima;
using namespace toy;
using Tensors = std::vector<Tensor>;

TEST(ForwardHooks, SeeAndReplaceInputsAndOutputs) {
  Shift shift(1);
  shift.add_forward_pre_hook([](nn::ModuleBase&, Tensors& inputs) { inputs[0] = values({100}); });
  float seen = 0;
  shift.add_forward_hook([&](nn::ModuleBase& module, const Tensors& inputs, Tensors& outputs) {
    EXPECT_EQ(module.type_name(), "Shift");
    EXPECT_EQ(inputs[0].item<float>(), 100);
    seen = outputs[0].item<float>();
    outputs[0] = values({-1});
  });
  EXPECT_EQ(call(shift, 5), -1);
  EXPECT_EQ(seen, 101);
}

TEST(ForwardHooks, MayNotChangeTheNumberOfTensors) {
  const auto expect_refused = [](auto add_hook) {
    for (const std::size_t size : {0, 2}) {
      Shift shift(1);
      add_hook(shift, size);
      try {
        call(shift, 5);
        ADD_FAILURE() << size;
      } catch (const ValueError& error) {
        EXPECT_NE(std::string(error.what()).find("puts from 1 to "), std::string::npos) << error.what();
      }
    }
  };
  expect_refused([](Shift& shift, std::size_t size) {
    shift.add_forward_pre_hook([size](nn::ModuleBase&, Tensors& inputs) { inputs.resize(size); });
  });
  expect_refused([](Shift& shift, std::size_t size) {
    shift.add_forward_hook([size](nn::ModuleBase&, const Tensors&, Tensors& outputs) { outputs.resize(size); });
  });
}

TEST(ForwardHooks, RunInOrderUntilRemoved) {
  Shift shift(1);
  std::string order;
  auto first = shift.add_forward_pre_hook([&](nn::ModuleBase&, Tensors&) { order += "1"; });
  shift.add_forward_pre_hook([&](nn::ModuleBase&, Tensors&) { order += "2"; });
  call(shift, 0);
  first.remove();
  first.remove();
  call(shift, 0);
  EXPECT_EQ(order, "122");
}

TEST(ForwardHooks, OfAChildRunWhenItsParentIsCalled) {
  Net net;
  int calls = 0;
  net.a.add_forward_hook([&](nn::ModuleBase&, const Tensors&, Tensors&) { ++calls; });
  EXPECT_EQ(call(net, 0), 11);
  EXPECT_EQ(calls, 1);
}

struct Pair : nn::ModuleOf<Pair> {
  Shift a = child("a", Shift(1));
  std::tuple<Tensor, Tensor> forward(const Tensor& x, const Tensor& y, int& count, float scale = 1) {
    ++count;
    return {a(x), scale > 1 ? a(y) : y};
  }
};

TEST(Call, AConstModuleIsAHandleThatCanBeCalled) {
  const nn::Sequential net(Shift(1), Shift(2));
  const auto answer = [net](const Tensor& x) { return net(x); };
  EXPECT_EQ(answer(values({1})).item<float>(), 4);
  int calls = 0, count = 0;
  nn::Sequential same = net;
  same.add_forward_pre_hook([&](nn::ModuleBase&, Tensors&) { ++calls; });
  answer(values({1}));
  EXPECT_EQ(calls, 1);
  const Pair pair;
  EXPECT_EQ(std::get<0>(pair(values({1}), values({2}), count)).item<float>(), 2);
}

TEST(ModuleOf, TakesSeveralInputsAndReturnsATuple) {
  Pair pair;
  int count = 0;
  auto [x, y] = pair(values({1}), values({2}), count);
  EXPECT_EQ(x.item<float>(), 2);
  EXPECT_EQ(y.item<float>(), 2);
  EXPECT_EQ(std::get<1>(pair(values({1}), values({2}), count, 3.0f)).item<float>(), 3);
  EXPECT_EQ(count, 2);
}

TEST(ModuleOf, ShowsTheTensorsToHooks) {
  Pair pair;
  pair.add_forward_pre_hook([](nn::ModuleBase&, Tensors& inputs) {
    ASSERT_EQ(inputs.size(), 2u);
    std::swap(inputs[0], inputs[1]);
  });
  pair.add_forward_hook([](nn::ModuleBase&, const Tensors& inputs, Tensors& outputs) {
    EXPECT_EQ(inputs[0].item<float>(), 2);
    ASSERT_EQ(outputs.size(), 2u);
    outputs[1] = values({50});
  });
  int count = 0;
  const Tensor lvalue = values({1});
  auto [x, y] = pair(lvalue, values({2}), count);
  EXPECT_EQ(x.item<float>(), 3);
  EXPECT_EQ(y.item<float>(), 50);
  EXPECT_EQ(count, 1) << "arguments that are no tensors are passed on as they are";
  EXPECT_EQ(lvalue.item<float>(), 1);
}

TEST(ModuleOf, MayReturnNothingOrAVector) {
  struct Sink : nn::ModuleOf<Sink> {
    float seen = 0;
    void forward(const Tensor& x) { seen = x.item<float>(); }
  };
  struct Split : nn::ModuleOf<Split> {
    std::vector<Tensor> forward(const Tensor& x) { return {x, x}; }
  };
  Sink sink;
  Split split;
  std::size_t outputs_of_sink = 9, outputs_of_split = 9;
  sink.add_forward_hook([&](nn::ModuleBase&, const Tensors&, Tensors& o) { outputs_of_sink = o.size(); });
  split.add_forward_hook([&](nn::ModuleBase&, const Tensors&, Tensors& o) { outputs_of_split = o.size(); });
  sink(values({4}));
  EXPECT_EQ(split(values({4})).size(), 2u);
  EXPECT_EQ(sink.seen, 4);
  EXPECT_EQ(outputs_of_sink, 0u);
  EXPECT_EQ(outputs_of_split, 2u);
}

TEST(ModuleOf, IsAChildAsAnyModule) {
  struct Outer : nn::Module {
    Pair pair = child("pair", Pair());
    Tensor forward(const Tensor& x) {
      int count = 0;
      return std::get<0>(pair(x, x, count));
    }
  };
  Outer outer;
  EXPECT_EQ(call(outer, 1), 2);
  EXPECT_EQ(names(outer.named_parameters()), (Names{"pair.a.bias"}));
}

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const ValueError& error) {
    return error.what();
  }
  return "no error";
}

struct Encoder : nn::Module {
  nn::ListOf<Net> layers = child("layers", nn::ListOf<Net>(2));
  Tensor forward(const Tensor& x) { return layers[1](x); }
};

TEST(ErrorPath, NamesTheFailingModuleFromTheCalledOne) {
  struct Model : nn::Module {
    Encoder encoder = child("encoder", Encoder());
    Tensor forward(const Tensor& x) { return encoder(x); }
  };
  Model model;
  EXPECT_EQ(error_of([&] { model(nothing()); }), "encoder.layers.1.a: shift: the input is empty");
  EXPECT_EQ(error_of([&] { model.encoder.layers[0].a(nothing()); }), "shift: the input is empty");
  EXPECT_EQ(error_of([&] { model.encoder.layers[0](nothing()); }), "a: shift: the input is empty");
}

TEST(ErrorPath, GoesThroughSequentialAndAssignedChildren) {
  nn::Sequential net(Shift(1), Encoder());
  net.at<Encoder>(1).layers[1].a = Shift(5);
  net[0]->add_forward_hook([](nn::ModuleBase&, const Tensors&, Tensors& outputs) { outputs[0] = nothing(); });
  EXPECT_EQ(error_of([&] { net(values({1})); }), "module 1.layers.1.a: shift: the input is empty");
}

TEST(ErrorPath, ForgetsAnErrorThatWasHandled) {
  struct Careful : nn::Module {
    Shift a = child("a", Shift(1));
    Tensor forward(const Tensor&) {
      try {
        a(nothing());
      } catch (const Error&) {}
      throw ValueError("careful: gave up");
    }
  };
  Careful careful;
  EXPECT_EQ(error_of([&] { careful(values({1})); }), "careful: gave up");
}

TEST(ErrorPath, AnUndefinedInputIsRefused) {
  Net net;
  EXPECT_EQ(error_of([&] { net(Tensor()); }), "Net: the input is undefined");
  net.a.add_forward_hook([](nn::ModuleBase&, const Tensors&, Tensors& outputs) { outputs[0] = Tensor(); });
  EXPECT_EQ(error_of([&] { net(values({1})); }), "b: Shift: the input is undefined");
}

TEST(ErrorPath, SkipsAModuleThatIsNotRegistered) {
  struct Hidden : nn::Module {
    Net inner;
    Tensor forward(const Tensor& x) { return inner(x); }
  };
  Hidden hidden;
  EXPECT_EQ(error_of([&] { hidden(nothing()); }), "a: shift: the input is empty");
}

}  // namespace
}  // namespace call_test
