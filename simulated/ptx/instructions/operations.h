#pragma once

#include "simulated/ptx/execution/op.h"
#include "simulated/ptx/instructions/decoder.h"
#include "simulated/ptx/text/type.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

// Instructions that compute each lane by itself.

namespace simulated::ptx {

/// d = f(a), f(a, b) and f(a, b, c); f is a functor without state.
template <class D, class A, class F> void run_unary(Warp& warp, const Op& op) {
  const A* const a = in<A>(warp, op.x[1]);
  each<D>(warp, op.x[0], [=](unsigned lane) { return F{}(a[lane]); });
}
template <class D, class A, class B, class F> void run_binary(Warp& warp, const Op& op) {
  const A* const a = in<A>(warp, op.x[1]);
  const B* const b = in<B>(warp, op.x[2]);
  each<D>(warp, op.x[0], [=](unsigned lane) { return F{}(a[lane], b[lane]); });
}
template <class D, class A, class B, class C, class F> void run_ternary(Warp& warp, const Op& op) {
  const A* const a = in<A>(warp, op.x[1]);
  const B* const b = in<B>(warp, op.x[2]);
  const C* const c = in<C>(warp, op.x[3]);
  each<D>(warp, op.x[0], [=](unsigned lane) { return F{}(a[lane], b[lane], c[lane]); });
}

/// Calls f with a value of the C++ type for whole numbers of `type`; false for other types.
template <class F> bool with_integer(Type type, F f) {
  switch (type) {
    case Type::s16: f(std::int16_t{}); return true;
    case Type::u16:
    case Type::b16: f(std::uint16_t{}); return true;
    case Type::s32: f(std::int32_t{}); return true;
    case Type::u32:
    case Type::b32: f(std::uint32_t{}); return true;
    case Type::s64: f(std::int64_t{}); return true;
    case Type::u64:
    case Type::b64: f(std::uint64_t{}); return true;
    default: return false;
  }
}

/// Places for the operands of `statement`: the result and sources of these sizes.
inline void place(const Statement& statement, Operands& operands, Op& op, unsigned result_bytes,
                  std::initializer_list<unsigned> source_bytes) {
  if (statement.operands.size() != source_bytes.size() + 1) throw Unknown("another number of operands was expected");
  op.x[0] = operands.target(statement.operands[0], result_bytes);
  std::size_t i = 1;
  for (const unsigned bytes : source_bytes) {
    op.x[i] = operands.source(statement.operands[i], bytes);
    ++i;
  }
}

}  // namespace simulated::ptx
