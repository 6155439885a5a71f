#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace minima::distributed {

enum class Collective : std::uint8_t {
  all_reduce,
  broadcast,
  all_gather,
  reduce_scatter,
  all_to_all,
  reduce,
  gather,
  scatter,
  barrier,
  send,
  receive,
  exchange
};

/// One side of a collective.
struct CollectiveSide {
  bool has_rows = false;  ///< the tensor has a row for each rank; otherwise all ranks share the whole of it
  bool is_root = false;   ///< only the root has the tensor
};

/// Describes who gives what to whom. Backends, the signatures that ranks compare, `pretend` and the check of placements
/// follow the table below, so they know a new collective from its row. A backend has a case of its own where its
/// library has a faster call.
struct CollectiveTraits {
  Collective kind;
  const char* name;
  CollectiveSide input = {}, output = {};
  bool reduces = false;  ///< what a rank gets from the others is combined
};

inline constexpr CollectiveTraits collectives[] = {
    {.kind = Collective::all_reduce, .name = "all_reduce", .reduces = true},
    {.kind = Collective::broadcast, .name = "broadcast", .input = {.is_root = true}},
    {.kind = Collective::all_gather, .name = "all_gather", .output = {.has_rows = true}},
    {.kind = Collective::reduce_scatter, .name = "reduce_scatter", .input = {.has_rows = true}, .reduces = true},
    {.kind = Collective::all_to_all, .name = "all_to_all", .input = {.has_rows = true}, .output = {.has_rows = true}},
    {.kind = Collective::reduce, .name = "reduce", .output = {.is_root = true}, .reduces = true},
    {.kind = Collective::gather, .name = "gather", .output = {.has_rows = true, .is_root = true}},
    {.kind = Collective::scatter, .name = "scatter", .input = {.has_rows = true, .is_root = true}},
    {.kind = Collective::barrier, .name = "barrier"},
    {.kind = Collective::send, .name = "send"},
    {.kind = Collective::receive, .name = "receive"},
    {.kind = Collective::exchange, .name = "exchange"},
};

constexpr const CollectiveTraits& traits_of(Collective kind) { return collectives[static_cast<std::size_t>(kind)]; }
constexpr const char* name(Collective kind) { return traits_of(kind).name; }

namespace detail {
consteval bool are_in_order() {
  for (std::size_t i = 0; i < std::size(collectives); ++i)
    if (static_cast<std::size_t>(collectives[i].kind) != i) return false;
  return collectives[std::size(collectives) - 1].kind == Collective::exchange;
}
static_assert(are_in_order(), "the rows of `collectives` stand in the order of the enumerators");
}  // namespace detail

}  // namespace minima::distributed
