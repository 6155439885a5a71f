#pragma once

#include <minima/distributed/distributed.h>
#include <minima/minima.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// Small programs for a mesh of data × tensor, with errors that can be planted in them. On a mesh of one rank they are
// the programs that ranks are to compute together.

namespace minima::test::planted {

/// The planted error of one run.
class Plan {
 public:
  explicit Plan(std::string fault, bool checkpoints = false) : checkpoints(checkpoints), fault_(std::move(fault)) {}
  bool has(const std::string& fault) const { return fault_ == fault; }
  bool checkpoints;

 private:
  std::string fault_;
};

/// One rank of a mesh, and how it shares tensors with the others.
class World {
 public:
  /// With `checks`, placements are checked.
  World(const distributed::Mesh& mesh, DType dtype, bool checks);
  World(const World&) = delete;

  distributed::Mesh mesh;
  const distributed::ProcessGroup& data = mesh["data"];
  const distributed::ProcessGroup& tensor = mesh["tensor"];
  DType dtype;

  /// The group that a collective over the tensor axis gets.
  const distributed::ProcessGroup& over_tensor(const Plan& plan, const std::string& name) const;
  /// Says that ranks of the tensor axis have different parts of x, along a dimension or otherwise.
  void declare_shard(const Tensor& x, std::optional<int> dim = {});
  /// Random numbers, the same on all ranks and others for each name.
  Tensor numbers(const std::string& name, const Shape& shape) const;
  /// The part of a whole tensor that this rank of an axis has.
  static Tensor part(const Tensor& whole, int dim, const distributed::ProcessGroup& axis);
  /// Gives parameters of the net, whole or shards, their parts of numbers.
  void fill(const std::vector<nn::NamedTensor>& parameters);
  /// Checks what a step or a norm written by hand reads.
  void expect_complete_gradients(const std::vector<Tensor>& parameters) const;
  /// The dimension along which a tensor was declared to be shared, or -1.
  int shard_dim(const Tensor& x) const;

 private:
  std::optional<distributed::PlacementCheck> check_;
  std::map<const TensorImpl*, int> dims_;
};

/// A tensor that a rank has at the end: a gradient that is to be read by the optimizer, or a parameter after its step.
struct Piece {
  std::string name;
  Tensor value;
  int dim = -1;  ///< along which ranks of the tensor axis have parts
};

using Program = std::vector<Piece> (*)(World& world, const Plan& plan);
/// Parallel along both axes: over data by DistributedDataParallel, over features by hand.
std::vector<Piece> train_tensor_parallel(World& world, const Plan& plan);
/// Sequence parallelism: each rank of the tensor axis has half of the tokens around the block, and the gradients of
/// what works on them are summed by hand.
std::vector<Piece> train_sequence_parallel(World& world, const Plan& plan);
/// Data parallelism by hand, with a step by hand.
std::vector<Piece> train_by_hand(World& world, const Plan& plan);

struct Fault {
  Program program;
  const char* name;
  std::vector<const char*> said;  ///< in the checker's error; empty if it cannot see the fault
};
std::vector<Fault> faults();

}  // namespace minima::test::planted
