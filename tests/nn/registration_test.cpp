#include "tests/nn/toy_modules.h"

#include <minima/nn/clone.h>

#include <gtest/gtest.h>

#include <memory>

// All ways to declare a registered member, and the errors for the wrong ones.

namespace registration_test {
namespace {

using namespace minima;
using namespace toy;

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

#define EXPECT_MENTIONS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

struct Base : nn::Module {
  Tensor forward(const Tensor& x) override { return x; }
};

TEST(Registration, InAConstructorsInitialiserList) {
  struct M : Base {
    explicit M(float x) : s(child("s", Shift(x))) {}
    Shift s;
  };
  const M m(3);
  EXPECT_EQ(m.children()[0].module, &m.s);
}

TEST(Registration, AssignedInAConstructorsBody) {
  struct M : Base {
    M() {
      s = child("s", Shift(3));
      p = parameter("p", values({1, 2}));
      l = child("l", nn::ListOf<Shift>(2));
    }
    Shift s;
    nn::Parameter p;
    nn::ListOf<Shift> l;
  };
  M m;
  const M copy = m;
  for (const M* object : {static_cast<const M*>(&m), &copy}) {
    EXPECT_EQ(object->children()[0].module, &object->s);
    EXPECT_EQ(names(object->named_parameters()), (Names{"p", "s.bias", "l.0.bias", "l.1.bias"}));
  }
}

TEST(Registration, ThroughAHelperFunction) {
  struct M : Base {
    Shift make(const std::string& name, float x) {
      Shift shift = child(name, Shift(x));
      shift.eval();
      return shift;
    }
    Shift wrap(const std::string& name, Shift shift) { return child(name, shift); }
    Shift made = make("made", 1);
    Shift wrapped = wrap("wrapped", Shift(2));
    Shift chosen = made.is_training() ? child("chosen", Shift(3)) : child("chosen", Shift(4));
  };
  const M m;
  const M copy = m;
  for (const M* object : {&m, &copy}) {
    ASSERT_EQ(object->children().size(), 3u);
    EXPECT_EQ(object->children()[0].module, &object->made);
    EXPECT_EQ(object->children()[1].module, &object->wrapped);
    EXPECT_EQ(object->children()[2].module, &object->chosen);
  }
  EXPECT_EQ(m.chosen.bias.item<float>(), 4);
}

TEST(Registration, OfATypeThatCannotMove) {
  struct CopyOnly : Base {
    CopyOnly() = default;
    CopyOnly(const CopyOnly&) = default;
    CopyOnly& operator=(const CopyOnly&) = default;
    ~CopyOnly() override {}
    Shift s = child("s", Shift(1));
  };
  struct M : Base {
    CopyOnly c = child("c", CopyOnly());
  };
  const M m;
  EXPECT_EQ(m.children()[0].module, &m.c);
  EXPECT_EQ(names(m.named_parameters()), (Names{"c.s.bias"}));
}

TEST(Registration, OfATypeWithModulesInFrontOfItsBase) {
  struct Mixin {
    Shift unregistered;
  };
  struct Odd : Mixin, Base {
    Shift s = child("s", Shift(1));
  };
  struct M : Base {
    Odd odd = child("odd", Odd());
  };
  const M m;
  const M copy = m;
  EXPECT_EQ(m.children()[0].module, static_cast<const nn::ModuleBase*>(&m.odd));
  EXPECT_EQ(copy.children()[0].module, static_cast<const nn::ModuleBase*>(&copy.odd));
  EXPECT_EQ(copy.odd.children()[0].module, &copy.odd.s);
}

TEST(Registration, InAClassAndInItsBase) {
  struct First : Base {
    Shift a = child("a", Shift(1));
  };
  struct Second : First {
    Shift b = child("b", Shift(2));
  };
  const Second m;
  const Second copy = m;
  EXPECT_EQ(names(copy.named_parameters()), (Names{"a.bias", "b.bias"}));
  EXPECT_EQ(copy.children()[1].module, &copy.b);
}

TEST(Registration, HasLibTorchsNamesInTheConstructorsBody) {
  struct M : Base {
    M() : a(1), c(values({2})), d(values({3})) {
      Shift& same = register_module("a", a);
      EXPECT_EQ(&same, &a);
      b = register_module("b", Shift(2));
      register_parameter("c", c);
      register_buffer("d", d);
      e = register_parameter("e", values({4}));
      f = register_buffer("f", values({5}));
    }
    Shift a, b;
    nn::Parameter c;
    nn::Buffer d;
    nn::Parameter e;
    nn::Buffer f;
  };
  const M m;
  EXPECT_EQ(names(m.named_parameters()), (Names{"c", "e", "a.bias", "b.bias"}));
  EXPECT_EQ(m.named_buffers()[0].name + m.named_buffers()[1].name, "df");
  M copy = m;
  EXPECT_EQ(copy.children()[0].module, &copy.a);
  EXPECT_TRUE(copy.parameters()[0].is_same(m.c));
  M apart = nn::clone(m);
  EXPECT_EQ(apart.children()[1].module, &apart.b);
  EXPECT_FALSE(apart.parameters()[0].is_same(m.c));
}

TEST(Registration, OfAnExistingModuleSharesIt) {
  struct M : Base {
    explicit M(const Shift& shared) : s(child("s", shared)) {}
    Shift s;
  };
  const Shift shared(1);
  const M one(shared), two(shared);
  EXPECT_TRUE(one.parameters()[0].is_same(two.parameters()[0]));
}

TEST(Registration, SurvivesAnExceptionInTheConstructor) {
  struct Bad : Base {
    Shift a = child("a", Shift(1));
    Shift b = child("b", fail());
    static Shift fail() { throw ValueError("no b"); }
  };
  EXPECT_EQ(error_of([] { Bad bad; }), "no b");
}

TEST(Registration, RefusesNamesThatAreTakenOrMalformed) {
  struct Twice : Base {
    Shift a = child("a", Shift(1));
    nn::Parameter b = parameter("a", values({1}));
  };
  struct Dotted : Base {
    Shift a = child("a.b", Shift(1));
  };
  struct Empty : Base {
    Shift a = child("", Shift(1));
  };
  EXPECT_MENTIONS(error_of([] { Twice m; }), "Twice: \"a\" is already registered");
  EXPECT_MENTIONS(error_of([] { Dotted m; }), "\"a.b\" is not a valid name");
  EXPECT_MENTIONS(error_of([] { Empty m; }), "\"\" is not a valid name");
}

TEST(Registration, SaysWhenALocalVariableHoldsTheResult) {
  struct M : Base {
    M() {
      Shift s = child("s", Shift(1));
      s.eval();
    }
  };
  M m;
  EXPECT_MENTIONS(error_of([&] { (void)m.parameters(); }),
                  "M: \"s\" is registered, but no member of the module holds the result");
  const M copy = m;
  EXPECT_MENTIONS(error_of([&] { (void)copy.parameters(); }), "no member of the module holds the result");
}

TEST(Registration, SaysWhenTheResultWasDropped) {
  struct M : Base {
    M() {
      (void)child("s", Shift(1));
      (void)parameter("p", values({1}));
    }
  };
  EXPECT_MENTIONS(error_of([] { (void)M().parameters(); }), "no member of the module holds the result");
}

TEST(Registration, SaysAfterACopyThatAHeapObjectHoldsTheResult) {
  struct M : Base {
    std::array<char, 64> space{};
    std::shared_ptr<Shift> s;
    M() { s.reset(new Shift(child("s", Shift(1)))); }
  };
  auto m = std::make_unique<M>();
  EXPECT_EQ(m->parameters().size(), 1u) << "found while the module has not been copied";
  const auto far = std::make_unique<std::array<char, 1 << 21>>();
  struct Outer {
    M m;
    std::array<char, 1 << 20> padding{};
  };
  const auto copy = std::make_unique<Outer>(Outer{*m, {}});
  EXPECT_MENTIONS(error_of([&] { (void)copy->m.parameters(); }), "no member of the module holds the result");
}

TEST(Registration, RefusesChildrenAfterTheModuleWasCopied) {
  struct M : Base {
    Shift a = child("a", Shift(1));
    void add() { late = child("late", Shift(2)); }
    Shift late;
  };
  M m;
  {
    const M copy = m;
    EXPECT_MENTIONS(error_of([&] { m.add(); }), "\"late\" is registered after the module was copied");
  }
  m.add();
  EXPECT_EQ(names(m.named_parameters()), (Names{"a.bias", "late.bias"}));
}

TEST(Registration, SlicedModuleIsAnErrorNotACrash) {
  struct First : Base {
    Shift a = child("a", Shift(1));
  };
  struct Second : First {
    Shift b = child("b", Shift(2));
  };
  const Second whole;
  const First part = whole;
  EXPECT_MENTIONS(error_of([&] { (void)part.parameters(); }), "sliced");
}

}  // namespace
}  // namespace registration_test
