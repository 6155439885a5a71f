#include "tests/nn/toy_modules.h"

#include <minima/autograd/mode.h>
#include <minima/nn/clone.h>
#include <minima/nn/containers/sequential.h>
#include <minima/nn/freeze.h>
#include <minima/nn/module/module_call.h>

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <thread>

// Modules that are called in another's forward without being registered in it.

namespace unregistered_test {
namespace {

using namespace minima;
using namespace toy;

/// Returns the text that f writes to standard error.
std::string warnings_of(const std::function<void()>& f) {
  testing::internal::CaptureStderr();
  f();
  return testing::internal::GetCapturedStderr();
}

int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

#define EXPECT_MENTIONS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

struct Base : nn::Module {
  Tensor forward(const Tensor& x) override { return x; }
};
/// A module with a child.
struct Pair : nn::Module {
  Shift inner = child("inner", Shift(1));
  Tensor forward(const Tensor& x) override { return inner(x); }
};
/// Takes two tensors.
struct Sum : nn::ModuleOf<Sum> {
  nn::Parameter weight = parameter("weight", values({2}));
  Tensor forward(const Tensor& x, const Tensor&) { return x; }
};

TEST(Unregistered, AMemberWarnsOnceByNameAndWithTheFix) {
  struct Forgetful : nn::Module {
    Shift a = child("a", Shift(1));
    Shift b{2};
    Tensor forward(const Tensor& x) override { return b(a(x)); }
  };
  Forgetful net;
  const std::string text = warnings_of([&] {
    for (int i = 0; i < 3; ++i) call(net, 1);
  });
  EXPECT_EQ(count_of(text, "warning"), 1) << text;
  EXPECT_MENTIONS(text, "Forgetful calls a Shift (bias [1]) that is not registered in it");
  EXPECT_MENTIONS(text, "child(\"name\", Shift(");
  EXPECT_MENTIONS(text, "nn::ListOf<Shift>");
  EXPECT_MENTIONS(text, "std::vector");
}

TEST(Unregistered, AVectorWarnsOnceForAllItsModules) {
  struct Layered : nn::Module {
    std::vector<Shift> layers{Shift(1), Shift(2), Shift(3)};
    Tensor forward(const Tensor& x) override {
      Tensor y = x;
      for (Shift& layer : layers) y = layer(y);
      return y;
    }
  };
  Layered net;
  EXPECT_EQ(count_of(warnings_of([&] { call(net, 1); }), "warning"), 1);
  EXPECT_EQ(warnings_of([&] { call(net, 1); }), "");
}

TEST(Unregistered, ModulesWhoseParametersAreTheirChildrensWarn) {
  struct Blocks : nn::Module {
    std::vector<Pair> blocks{Pair()};
    Tensor forward(const Tensor& x) override { return blocks[0](x); }
  };
  struct Stages : nn::Module {
    std::vector<nn::Sequential> stages{nn::Sequential(Shift(1))};
    Tensor forward(const Tensor& x) override { return stages[0](x); }
  };
  struct Shared : nn::Module {
    std::shared_ptr<Shift> held = std::make_shared<Shift>(1);
    Tensor forward(const Tensor& x) override { return (*held)(x); }
  };
  Blocks blocks;
  EXPECT_MENTIONS(warnings_of([&] { call(blocks, 1); }), "Blocks calls a Pair (inner.bias [1])");
  Stages stages;
  EXPECT_MENTIONS(warnings_of([&] { call(stages, 1); }), "Stages calls a Sequential (0.bias [1])");
  Shared shared;
  EXPECT_MENTIONS(warnings_of([&] { call(shared, 1); }), "Shared calls a Shift");
}

TEST(Unregistered, ModulesOfOtherSignaturesWarnAsCallersAndAsCalled) {
  struct Outer : nn::ModuleOf<Outer> {
    Sum sum;
    Tensor forward(const Tensor& x, const Tensor& y) { return sum(x, y); }
  };
  Outer net;
  EXPECT_MENTIONS(warnings_of([&] { net(values({1}), values({2})); }), "Outer calls a Sum (weight [1])");
}

TEST(Unregistered, AChildOfAChildThatIsForgottenWarns) {
  struct Inner : nn::Module {
    Shift forgotten{1};
    Tensor forward(const Tensor& x) override { return forgotten(x); }
  };
  struct Outer : nn::Module {
    Inner inner = child("inner", Inner());
    Tensor forward(const Tensor& x) override { return inner(x); }
  };
  Outer net;
  EXPECT_MENTIONS(warnings_of([&] { call(net, 1); }), "Inner calls a Shift");
}

TEST(Unregistered, AClonedChildThatIsForgottenWarns) {
  struct Copies : nn::Module {
    Shift first = child("first", Shift(1));
    std::vector<Shift> more{nn::clone(first)};
    Tensor forward(const Tensor& x) override { return more[0](first(x)); }
  };
  Copies net;
  EXPECT_MENTIONS(warnings_of([&] { call(net, 1); }), "Copies calls a Shift");
}

TEST(Unregistered, RegisteredModulesDoNotWarnInWhateverWayTheyAreHeld) {
  struct Whole : nn::Module {
    nn::ListOf<Shift> list = child("list", nn::ListOf<Shift>());
    nn::OptionalOf<Shift> maybe = child("maybe", nn::OptionalOf<Shift>());
    nn::ModuleList modules = child("modules", nn::ModuleList(Shift(1), Pair()));
    nn::ModuleDict named = child("named", nn::ModuleDict({{"a", Shift(2)}}));
    Shift replaced = child("replaced", Shift(3));
    Whole() {
      list.push_back(Shift(4));
      maybe = Shift(5);
      replaced = Shift(6);
    }
    Tensor forward(const Tensor& x) override {
      Tensor y = replaced(list[0]((*maybe)(x)));
      for (const nn::AnyModule& module : modules) y = module(y);
      return named["a"](y);
    }
  };
  Whole net;
  Whole copy = net, cloned = nn::clone(net);
  EXPECT_EQ(warnings_of([&] { call(net, 1), call(copy, 1), call(cloned, 1); }), "");
}

TEST(Unregistered, SharedModulesDoNotWarn) {
  struct Decoder : nn::Module {
    Shift embedding;  // the encoder's
    explicit Decoder(const Shift& shared) : embedding(shared) {}
    Tensor forward(const Tensor& x) override { return embedding(x); }
  };
  struct Model : nn::Module {
    Shift embedding = child("embedding", Shift(1));
    Decoder decoder = child("decoder", Decoder(embedding));
    Tensor forward(const Tensor& x) override { return decoder(embedding(x)); }
  };
  Model whole, part;
  EXPECT_EQ(warnings_of([&] { call(whole, 1); }), "");
  EXPECT_EQ(warnings_of([&] { call(part.decoder, 1); }), "") << "the model that has it is not running";
}

TEST(Unregistered, FunctionalCompositionsDoNotWarn) {
  Shift a(1), b(2);
  const auto composed = [&](const Tensor& x) { return b(a(x)); };
  nn::Sequential with_function(Shift(3), [&](const Tensor& x) { return b(x); });
  struct Composing : nn::Module {
    Shift first = child("first", Shift(1)), second = child("second", Shift(2));
    Tensor forward(const Tensor& x) override { return nn::Sequential(first, second)(x); }
  };
  Composing composing;
  EXPECT_EQ(warnings_of([&] { composed(values({1})), call(with_function, 1), call(composing, 1); }), "");
}

TEST(Unregistered, ATeacherThatIsKeptOutsideDoesNotWarn) {
  struct Distilled : nn::Module {
    Shift student = child("student", Shift(1));
    Shift* teacher;
    explicit Distilled(Shift& t) : teacher(&t) {}
    Tensor forward(const Tensor& x) override {
      (*teacher)(x);
      return student(x);
    }
  };
  Shift frozen(1), allowed(2), ungraded(3), forgotten(4);
  nn::freeze(frozen);
  nn::allow_unregistered(allowed);
  Distilled one(frozen), two(allowed), three(ungraded), four(forgotten);
  EXPECT_EQ(warnings_of([&] { call(one, 1), call(two, 1); }), "");
  EXPECT_EQ(warnings_of([&] {
              const NoGrad guard;
              call(three, 1);
            }),
            "");
  EXPECT_MENTIONS(warnings_of([&] { call(four, 1); }), "Distilled calls a Shift");
}

TEST(Unregistered, ModulesWithoutParametersDoNotWarn) {
  struct Plain : nn::Module {
    Base identity;
    Shift without{0, false};
    Tensor forward(const Tensor& x) override { return without(identity(x)); }
  };
  Plain net;
  EXPECT_EQ(warnings_of([&] { call(net, 1); }), "");
}

TEST(Unregistered, CallsAfterAFailedOneAreJudgedAlone) {
  struct Failing : nn::Module {
    Shift shift = child("shift", Shift(1));
    Tensor forward(const Tensor& x) override { return shift(x); }
  };
  Failing net;
  EXPECT_THROW(net(nothing()), ValueError);
  Shift alone(1);
  EXPECT_EQ(warnings_of([&] { call(alone, 1); }), "") << "no module is running";
}

TEST(Unregistered, OtherThreadsHaveTheirOwnCalls) {
  struct Apart : nn::Module {
    Shift other{1};
    Tensor forward(const Tensor& x) override {
      Tensor y;
      std::thread([&] { y = other(x); }).join();
      return y;
    }
  };
  Apart net;
  EXPECT_EQ(warnings_of([&] { call(net, 1); }), "");
}

}  // namespace
}  // namespace unregistered_test
