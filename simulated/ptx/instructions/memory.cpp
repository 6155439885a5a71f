#include "simulated/ptx/execution/thread_block.h"
#include "simulated/ptx/instructions/operations.h"

#include <algorithm>
#include <cstring>
#include <optional>

// ld and st, and what moves values without computing: mov, cvta.

namespace simulated::ptx {

namespace {

template <class T> T load(std::uint64_t address) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

/// Element i of a vector is the register at op.x[0] or op.more[i - 1].
Place element(const Op& op, unsigned i, Place first) { return i == 0 ? first : op.more[i - 1]; }

/// E in memory, R in the register.
template <class E, class R> void run_load(Warp& warp, const Op& op) {
  ThreadBlock& block = *warp.block;
  Request request;
  block.resolve(warp, op, op.x[1], AccessKind::read, request);
  if (block.watches(request))
    for_lanes(warp.mask, [&](unsigned lane) { block.watch(warp, op, lane, request, AccessKind::read, false); });
  if (sizeof(E) == sizeof(R) && op.elements == 1 && request.consecutive) {
    std::memcpy(out<R>(warp, op.x[0]), reinterpret_cast<const void*>(request.address[0]), sizeof(E) * warp_size);
    return;
  }
  for (unsigned i = 0; i < op.elements; ++i) {
    R* const to = out<R>(warp, element(op, i, op.x[0]));
    for_lanes(warp.mask,
              [&](unsigned lane) { to[lane] = static_cast<R>(load<E>(request.address[lane] + i * sizeof(E))); });
  }
}

/// Loads from one address for all lanes, of parameters.
template <class E, class R> void run_load_uniform(Warp& warp, const Op& op) {
  Request request;
  const Mask mask = warp.mask;
  warp.mask = mask & (0 - mask);
  warp.block->resolve(warp, op, op.x[1], AccessKind::read, request);
  warp.mask = mask;
  const std::uint64_t address = request.address[__builtin_ctz(mask)];
  for (unsigned i = 0; i < op.elements; ++i) {
    const R value = static_cast<R>(load<E>(address + i * sizeof(E)));
    each<R>(warp, element(op, i, op.x[0]), [=](unsigned) { return value; });
  }
}

template <class E, class R> void run_store(Warp& warp, const Op& op) {
  ThreadBlock& block = *warp.block;
  Request request;
  block.resolve(warp, op, op.x[0], AccessKind::write, request);
  if (sizeof(E) == sizeof(R) && op.elements == 1 && request.consecutive && !block.watches(request)) {
    std::memcpy(reinterpret_cast<void*>(request.address[0]), in<R>(warp, op.x[1]), sizeof(E) * warp_size);
    return;
  }
  const R* from[4];
  for (unsigned i = 0; i < op.elements; ++i) from[i] = in<R>(warp, element(op, i, op.x[1]));
  const bool watched = block.watches(request);
  for_lanes(warp.mask, [&](unsigned lane) {
    E values[4];
    for (unsigned i = 0; i < op.elements; ++i) values[i] = static_cast<E>(from[i][lane]);
    auto* const to = reinterpret_cast<void*>(request.address[lane]);
    const std::size_t bytes = sizeof(E) * op.elements;
    if (watched) block.watch(warp, op, lane, request, AccessKind::write, std::memcmp(to, values, bytes) == 0);
    std::memcpy(to, values, bytes);
  });
}

template <class F> bool with_element(Type type, unsigned register_bytes, F f) {
  using std::int8_t, std::int16_t, std::int32_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t;
  const auto into = [&]<class E>(E) {
    if (register_bytes == 2 && sizeof(E) <= 2) f(E{}, uint16_t{});
    else if (register_bytes == 4 && sizeof(E) <= 4) f(E{}, uint32_t{});
    else if (register_bytes == 8) f(E{}, uint64_t{});
    else return false;
    return true;
  };
  switch (size_of(type)) {
    case 1: return is_signed(type) ? into(int8_t{}) : into(uint8_t{});
    case 2: return is_signed(type) ? into(int16_t{}) : into(uint16_t{});
    case 4: return is_signed(type) ? into(int32_t{}) : into(uint32_t{});
    case 8: return into(uint64_t{});
    default: return false;
  }
}

std::optional<Space> space_of(const Opcode& opcode) {
  if (opcode.has("global")) return Space::global;
  if (opcode.has("shared") || opcode.has("shared::cta")) return Space::shared;
  if (opcode.has("local")) return Space::local;
  if (opcode.has("param") || opcode.has("param::entry") || opcode.has("param::func")) return Space::param;
  if (opcode.has("const")) return Space::global;  // a variable of the module
  return Space::generic;
}

/// The registers of {a, b} or of a. Returns the first one's place.
Place place_elements(const Operand& operand, Operands& operands, Op& op, unsigned bytes, bool source) {
  const auto one = [&](const Operand& part) {
    if (part.kind == Operand::Kind::immediate || part.kind == Operand::Kind::sink ||
        part.kind == Operand::Kind::symbol) {
      op.extends = static_cast<std::uint8_t>(std::max(bytes, 2u));
      return source ? operands.source(part, op.extends) : operands.target(part, op.extends);
    }
    unsigned got = 0;
    const Place place = operands.any(part, got);
    op.extends = static_cast<std::uint8_t>(got);
    return place;
  };
  if (operand.kind != Operand::Kind::vector) return one(operand);
  const Place first = one(operand.parts.front());
  for (std::size_t i = 1; i < operand.parts.size(); ++i) op.more[i - 1] = one(operand.parts[i]);
  return first;
}

template <class T> void run_move(Warp& warp, const Op& op) {
  const T* const a = in<T>(warp, op.x[1]);
  each<T>(warp, op.x[0], [=](unsigned lane) { return a[lane]; });
}

bool move(Op& op, Place to, Place from, unsigned bytes) {
  op.x[0] = to;
  op.x[1] = from;
  op.run = bytes == 2 ? run_move<std::uint16_t> : bytes == 4 ? run_move<std::uint32_t> : run_move<std::uint64_t>;
  return true;
}

template <class Whole, class Part> void run_pack(Warp& warp, const Op& op) {
  constexpr unsigned parts = sizeof(Whole) / sizeof(Part);
  const Part* from[parts];
  for (unsigned i = 0; i < parts; ++i) from[i] = in<Part>(warp, element(op, i, op.x[1]));
  each<Whole>(warp, op.x[0], [=](unsigned lane) {
    Whole result = 0;
    for (unsigned i = 0; i < parts; ++i)
      result = static_cast<Whole>(result | static_cast<Whole>(from[i][lane]) << 8 * sizeof(Part) * i);
    return result;
  });
}
template <class Whole, class Part> void run_unpack(Warp& warp, const Op& op) {
  const Whole* const a = in<Whole>(warp, op.x[1]);
  Whole whole[warp_size];
  std::copy(a, a + warp_size, whole);  // a part may be in the same register
  for (unsigned i = 0; i < sizeof(Whole) / sizeof(Part); ++i)
    each<Part>(warp, element(op, i, op.x[0]),
               [&](unsigned lane) { return static_cast<Part>(whole[lane] >> 8 * sizeof(Part) * i); });
}

/// mov.b64 %rd, {%r1, %r2} and back.
bool pack(const Statement& statement, unsigned bytes, Operands& operands, Op& op) {
  using std::uint16_t, std::uint32_t, std::uint64_t;
  const bool packs = statement.operands[1].kind == Operand::Kind::vector;
  const Operand& vector = statement.operands[packs ? 1 : 0];
  const unsigned part = bytes / static_cast<unsigned>(vector.parts.size());
  const Place whole =
      packs ? operands.target(statement.operands[0], bytes) : operands.source(statement.operands[1], bytes);
  const Place parts = place_elements(vector, operands, op, part, packs);
  if (op.extends != part) return false;
  op.x[0] = packs ? whole : parts;
  op.x[1] = packs ? parts : whole;
  if (bytes == 4 && part == 2) op.run = packs ? run_pack<uint32_t, uint16_t> : run_unpack<uint32_t, uint16_t>;
  else if (bytes == 8 && part == 4) op.run = packs ? run_pack<uint64_t, uint32_t> : run_unpack<uint64_t, uint32_t>;
  else if (bytes == 8 && part == 2) op.run = packs ? run_pack<uint64_t, uint16_t> : run_unpack<uint64_t, uint16_t>;
  return op.run != nullptr;
}

void run_address(Warp& warp, const Op& op) {
  const std::uint64_t* const a = in<std::uint64_t>(warp, op.x[1]);
  const auto by = static_cast<std::uint64_t>(op.offset);
  each<std::uint64_t>(warp, op.x[0], [=](unsigned lane) { return a[lane] + by; });
}

void run_move_predicate(Warp& warp, const Op& op) { set_predicate(warp, op.x[0], *in<Mask>(warp, op.x[1])); }

}  // namespace

bool decode_move(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op) {
  if (statement.operands.size() != 2 || opcode.types.size() != 1) return false;
  const unsigned bytes = size_of(opcode.type());
  if (opcode.name == "mov" && opcode.words.empty()) {
    if (opcode.type() == Type::pred) {
      op.x[0] = operands.predicate(statement.operands[0]);
      op.x[1] = operands.predicate(statement.operands[1]);
      op.run = run_move_predicate;
      return true;
    }
    if (statement.operands[0].kind == Operand::Kind::vector || statement.operands[1].kind == Operand::Kind::vector)
      return pack(statement, bytes, operands, op);
    return move(op, operands.target(statement.operands[0], bytes), operands.source(statement.operands[1], bytes),
                bytes);
  }
  if (opcode.name != "cvta" || bytes != 8) return false;
  place(statement, operands, op, 8, {8});
  const std::uint64_t window = opcode.has("shared")  ? shared_window
                               : opcode.has("local") ? local_window
                               : opcode.has("param") ? param_window
                                                     : 0;
  op.offset = static_cast<std::int64_t>(opcode.has("to") ? 0 - window : window);
  op.run = run_address;
  return true;
}

bool decode_memory(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op) {
  const bool loads = opcode.name == "ld" || opcode.name == "ldu";
  if ((!loads && opcode.name != "st") || statement.operands.size() != 2 || opcode.types.size() != 1) return false;
  const Operand& address = statement.operands[loads ? 1 : 0];
  const Operand& value = statement.operands[loads ? 0 : 1];
  const unsigned bytes = size_of(opcode.type());
  op.space = *space_of(opcode);
  op.elements = opcode.has("v4") ? 4 : opcode.has("v2") ? 2 : 1;
  if (value.kind == Operand::Kind::vector ? value.parts.size() != op.elements : op.elements != 1) return false;
  op.bytes = static_cast<std::uint8_t>(bytes);
  const Place first = place_elements(value, operands, op, bytes, !loads);
  const Operand& base = address.parts.front();
  // A call's parameters are registers here.
  if (op.space == Space::param && base.kind == Operand::Kind::symbol && !operands.is_symbol(base.name, Space::param)) {
    if (op.elements != 1 || op.extends != bytes) return false;
    const Place slot = operands.slot(base.name, base.value, bytes);
    return move(op, loads ? first : slot, loads ? slot : first, bytes);
  }
  const Place at = operands.address(address, op.space, op.offset);
  op.mode = 8;
  if (base.kind == Operand::Kind::reg) {
    unsigned address_bytes = 0;
    Operand plain = base;
    plain.value = 0;
    operands.any(plain, address_bytes);
    op.mode = static_cast<std::uint8_t>(address_bytes);
  }
  op.x[0] = loads ? first : at;
  op.x[1] = loads ? at : first;
  const bool uniform = loads && op.space == Space::param && Operands::is_constant(at);
  return with_element(opcode.type(), op.extends, [&]<class E, class R>(E, R) {
    op.run = !loads ? run_store<E, R> : uniform ? run_load_uniform<E, R> : run_load<E, R>;
  });
}

}  // namespace simulated::ptx
