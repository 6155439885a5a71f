#include <minima/distributed/backends/backend.h>

#include <minima/tensor/base/format.h>

#include <cstdint>
#include <string>

namespace minima::distributed {

const char* name(Collective kind) {
  static constexpr const char* names[] = {"all_reduce", "broadcast", "all_gather", "reduce_scatter",
                                          "all_to_all", "gather",    "scatter",    "barrier",
                                          "send",       "receive",   "exchange"};
  return names[static_cast<int>(kind)];
}

const char* name(Reduce reduce) {
  static constexpr const char* names[] = {"sum", "mean", "min", "max", "product"};
  return names[static_cast<int>(reduce)];
}

namespace {

/// All ranks know the sizes of uneven parts of all_gather and reduce_scatter; each rank of an all_to_all has others.
std::string parts_of(const Operation& operation) {
  std::string text = str(" ", operation.output.dtype(), " in uneven parts");
  if (operation.kind == Collective::all_to_all) return text;
  text += " of";
  for (const std::int64_t part : operation.parts_in.empty() ? operation.parts_out : operation.parts_in)
    text += str(" ", part);
  return text;
}

}  // namespace

std::string signature(const Operation& operation) {
  std::string text = name(operation.kind);
  const bool reduces = operation.kind == Collective::all_reduce || operation.kind == Collective::reduce_scatter;
  if (reduces) text += str(" ", name(operation.reduce));
  // The tensor that every rank has: for scatter the output, else the input.
  const Tensor& tensor =
      operation.kind == Collective::scatter || !operation.input.defined() ? operation.output : operation.input;
  if (operation.is_uneven()) return text + parts_of(operation);
  if (tensor.defined()) text += str(" ", tensor.dtype(), " ", tensor.shape());
  if (operation.peer >= 0)
    text += str(operation.kind == Collective::send      ? " to "
                : operation.kind == Collective::receive ? " from "
                                                        : " root ",
                operation.peer);
  return text;
}

std::string describe(const Operation& operation) {
  return operation.label.empty() ? signature(operation) : str(signature(operation), " '", operation.label, "'");
}

}  // namespace minima::distributed
