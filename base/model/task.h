#pragma once
/// \file
/// A task: what to optimise, its contract and its workloads. Read from `task.toml` by config/.

#include "base/expression.h"
#include "base/ids.h"
#include "base/model/dtype.h"
#include "base/model/kernel.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmind {

enum class ArgumentKind { in, out, inout, scalar };
WARPMIND_ENUM_NAMES(ArgumentKind, {ArgumentKind::in, "in"}, {ArgumentKind::out, "out"},
                    {ArgumentKind::inout, "inout"}, {ArgumentKind::scalar, "scalar"});

/// Input distributions that the judge draws from (reliability 3.3, item 9).
enum class Distribution {
  recorded,     ///< as a recorded run of the program had it, or alike: Argument::recorded
  normal,       ///< N(0,1), scaled by a power of two drawn from 2^-1 … 2^1
  uniform,      ///< U(-1,1)
  constant,     ///< +1 and -1 alternating
  one_hot,      ///< zeros but one element a row
  large,        ///< normal times 64 (f16, bf16) or 1024
  denormal,     ///< small integers times the smallest denormal of the dtype
  exact,        ///< integers -4 … 4: partial sums are exact
  wide,         ///< +-2^-26 … 2^26 (f16, bf16: 2^-6 … 2^6), or all of an integer dtype
  index_range,  ///< integers in [low, high], for integer arguments
};
WARPMIND_ENUM_NAMES(Distribution, {Distribution::recorded, "recorded"},
                    {Distribution::normal, "normal"}, {Distribution::uniform, "uniform"},
                    {Distribution::constant, "constant"}, {Distribution::one_hot, "one_hot"},
                    {Distribution::large, "large"}, {Distribution::denormal, "denormal"},
                    {Distribution::exact, "exact"}, {Distribution::wide, "wide"},
                    {Distribution::index_range, "index_range"});

/// What a recorded run had in an input when its kernel first used it. `low` to `shares` say what is
/// drawn where there is no file, or where a workload has another number of elements.
struct RecordedInput {
  /// File in the folder values/ of the task, named by its content: the integers themselves.
  std::string values;
  std::int64_t offset = 0;  ///< bytes of that file before the first element
  bool reorder = true;      ///< cases beside the plainest have the values in another order
  std::string most;         ///< greatest value on a workload's sizes; empty = `high`
  double low = 0;           ///< of the finite values
  double high = 0;
  double mean = 0;
  double deviation = 0;        ///< standard deviation
  double zeros = 0;            ///< share of the elements; -0 counts
  double denormals = 0;        ///< likewise
  double not_finite = 0;       ///< likewise; such elements are not drawn
  bool sorted = false;         ///< no element is below the one before it
  std::vector<double> shares;  ///< of the values, in ranges of equal width from `low` to `high`
  bool operator==(const RecordedInput&) const = default;
};

struct Argument {
  std::string name;
  ArgumentKind kind = ArgumentKind::in;
  Dtype dtype = Dtype::f32;
  std::vector<std::string> shape;  ///< extents, slowest first; empty for a scalar
  std::string value;  ///< scalars: integer expression, or a decimal number for floating dtypes
  /// Allowed for inputs; empty = all but index_range, and `recorded` where that is known.
  std::vector<Distribution> distributions;
  double low = 0;                              ///< index_range only
  double high = 0;                             ///< index_range only, inclusive
  std::optional<RecordedInput> recorded = {};  ///< of inputs of recorded programs
  bool operator==(const Argument&) const = default;
};

/// Whether the judge draws it.
[[nodiscard]] inline bool is_input(const Argument& argument) {
  return argument.kind == ArgumentKind::in || argument.kind == ArgumentKind::inout;
}

/// Whether kernels write it.
[[nodiscard]] inline bool is_output(const Argument& argument) {
  return argument.kind == ArgumentKind::out || argument.kind == ArgumentKind::inout;
}

struct Workload {
  std::string name;
  Sizes sizes;
  bool timed = false;  ///< all workloads are checked; the timed ones are also measured
  bool operator==(const Workload&) const = default;
};

/// How outputs are compared with the double-precision reference. docs/numerics.md, also c for
/// `wide`.
enum class ToleranceClass {
  exact,        ///< integers, copies: bit for bit (-0 equals +0)
  elementwise,  ///< at most `ulp` units in the last place of the output dtype
  contraction,  ///< |d| <= max(16, sqrt(K)) u_acc (|A||B|) + u_out |ref|; K from `reduction_length`
  reduction,    ///< |d| <= max(2 x error of the baseline, 8 u_out) x scale of the output tile
};
WARPMIND_ENUM_NAMES(ToleranceClass, {ToleranceClass::exact, "exact"},
                    {ToleranceClass::elementwise, "elementwise"},
                    {ToleranceClass::contraction, "contraction"},
                    {ToleranceClass::reduction, "reduction"});

struct Contract {
  ToleranceClass tolerance = ToleranceClass::elementwise;
  Dtype accumulate = Dtype::f32;  ///< precision that sums must have at least
  double ulp = 2;                 ///< elementwise only
  std::string reduction_length;   ///< contraction: expression for K
  bool tf32_allowed = false;
  bool deterministic = true;  ///< a second run must be bit-equal
  bool operator==(const Contract&) const = default;
};

/// A range from which hidden workloads draw a size: never shown to a proposer (DESIGN 6).
struct HiddenRange {
  std::string size;  ///< name of a size of the workloads
  std::int64_t low = 1;
  std::int64_t high = 1;         ///< inclusive
  std::int64_t multiple_of = 1;  ///< drawn sizes are multiples of it
  bool operator==(const HiddenRange&) const = default;
};

/// What must hold between runs of a kernel, whatever its reference says (metamorphic checks).
enum class RelationKind {
  scaling,      ///< inputs `arguments` times `factor` give outputs times `factor` to the `degree`
  additivity,   ///< f(a + b) = f(a) + f(b) in `arguments`, within the tolerance
  permutation,  ///< permuting the slowest extent of `arguments` permutes the outputs' alike
};
WARPMIND_ENUM_NAMES(RelationKind, {RelationKind::scaling, "scaling"},
                    {RelationKind::additivity, "additivity"},
                    {RelationKind::permutation, "permutation"});

struct Relation {
  RelationKind kind = RelationKind::scaling;
  std::vector<std::string> arguments;  ///< inputs that are changed together
  std::int64_t degree = 1;             ///< scaling only; 0 = the output does not change
  bool operator==(const Relation&) const = default;
};

/// Compulsory traffic and arithmetic of one run, as expressions: the roofline of the task.
struct CostModel {
  std::string bytes;  ///< read plus written once
  std::string flops;
  bool operator==(const CostModel&) const = default;
};

enum class Split {
  train,
  heldout,  ///< never writes to the base
};
WARPMIND_ENUM_NAMES(Split, {Split::train, "train"}, {Split::heldout, "heldout"});

struct Task {
  TaskId id;  ///< hash of what is asked: without name, description, directory, hidden, relations,
              ///< figures of recorded numbers and, where there is a reference, kernel
  std::string name;
  std::string description;
  std::string operator_family;  ///< elementwise, transpose, softmax, norm, gemm, reduction, …
  Split split = Split::train;
  std::vector<Argument> arguments;
  std::vector<Workload> workloads;
  Contract contract;
  CostModel cost;
  std::string reference;                 ///< C++ text of the double-precision reference
  Kernel kernel;                         ///< the initial kernel
  std::string directory;                 ///< where it was read from, for messages
  std::vector<HiddenRange> hidden = {};  ///< none = no hidden workloads, hidden seeds only
  std::vector<Relation> relations = {};  ///< declared metamorphic relations
  bool operator==(const Task&) const = default;
};

[[nodiscard]] TaskId id_of(const Task& task);

/// Folder of the values of recorded inputs, below the task's own.
inline constexpr const char* kRecordedValuesFolder = "values";

/// Whether some input has a file of values.
[[nodiscard]] bool has_recorded_values(const Task& task);

/// What may be told to whoever writes kernels, and to clients: all but the hidden ranges.
[[nodiscard]] Task shown_part(Task task);

}  // namespace warpmind
