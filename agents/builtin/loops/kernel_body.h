#pragma once
/// \file
/// What one function body declares, writes, reads and calls: the facts that the analysis of loops
/// rests on. Syntax alone, no numbers.

#include "agents/builtin/syntax.h"

#include <string>
#include <string_view>
#include <vector>

namespace warpmind::agents::builtin {

/// A variable that the body declares.
struct Local {
  std::string name;
  std::string type;  ///< "unsigned int", without const
  NodeId identifier = kNoNode;
  NodeId value = kNoNode;  ///< its initialiser
  NodeId scope = kNoNode;  ///< the statement at whose end it dies
  bool is_pointer = false;
  bool is_array = false;
  bool is_shared = false;
  bool is_reference = false;
};

/// An assignment to (or `++`, `&` of) a named variable.
struct Write {
  NodeId node = kNoNode;         ///< assignment_expression, update_expression, pointer_expression
  NodeId identifier = kNoNode;   ///< the variable
  const Local* local = nullptr;  ///< nullptr: a parameter or a name of the file
  bool is_address = false;       ///< `&v`: anything may happen to it
};

/// An access to memory behind a pointer or array.
struct MemoryAccess {
  NodeId node = kNoNode;  ///< subscript_expression, pointer_expression, or the call that takes it
  NodeId pointer = kNoNode;  ///< `p` of p[i]
  NodeId index = kNoNode;    ///< kNoNode: none or not known
  std::string root;  ///< pointer parameter or array that it points into; empty: cannot be told
  bool is_private = false;  ///< an array of the thread
  bool is_shared = false;
  bool is_load = false;
  bool is_store = false;
};

enum class CallKind { pure, atomic, barrier, warp, unknown };

struct Call {
  NodeId node = kNoNode;
  std::string name;
  CallKind kind = CallKind::unknown;
};

/// `source` and `function` must outlive it; it is not copied, as writes point at locals.
class KernelBody {
 public:
  KernelBody(const CudaSource& source, const Function& function);
  KernelBody(const KernelBody&) = delete;
  KernelBody& operator=(const KernelBody&) = delete;
  KernelBody(KernelBody&&) = delete;
  KernelBody& operator=(KernelBody&&) = delete;
  ~KernelBody() = default;

  [[nodiscard]] const SyntaxTree& tree() const { return source_->tree; }
  [[nodiscard]] const CudaSource& source() const { return *source_; }
  [[nodiscard]] const Function& function() const { return *function_; }
  [[nodiscard]] const std::vector<Local>& locals() const { return locals_; }
  [[nodiscard]] const std::vector<Write>& writes() const { return writes_; }
  [[nodiscard]] const std::vector<MemoryAccess>& accesses() const { return accesses_; }
  [[nodiscard]] const std::vector<Call>& calls() const { return calls_; }

  /// The local that an identifier means, or nullptr.
  [[nodiscard]] const Local* local_of(NodeId identifier) const;
  /// Whether `local` is declared inside of `node`.
  [[nodiscard]] bool declared_in(const Local& local, NodeId node) const;
  /// Whether it is written after its declaration, inside of `node`.
  [[nodiscard]] bool written_in(const Local& local, NodeId node) const;
  /// As above for what any identifier means; parameters included.
  [[nodiscard]] bool identifier_written_in(NodeId identifier, NodeId node) const;
  /// Uses of that local at or below `node`, its declaration apart.
  [[nodiscard]] std::vector<NodeId> uses_of(const Local& local, NodeId node) const;
  /// The expression as text, with locals that are declared inside of `inside` and set once replaced
  /// by their values, and `variable` by `replacement`.
  [[nodiscard]] std::string expanded(NodeId expression, NodeId inside, const Local& variable,
                                     std::string_view replacement) const;
  /// Type of the elements that a pointer expression steps over ("__half"), or empty.
  [[nodiscard]] std::string element_type(NodeId pointer) const;

 private:
  void collect_locals();
  void collect_writes();
  void collect_accesses();
  void collect_calls();
  [[nodiscard]] std::string root_of(NodeId pointer, int depth) const;
  [[nodiscard]] bool only_address(NodeId access) const;
  void mark_space(MemoryAccess& access) const;

  const CudaSource* source_;
  const Function* function_;
  std::vector<Local> locals_;
  std::vector<Write> writes_;
  std::vector<MemoryAccess> accesses_;
  std::vector<Call> calls_;
};

/// Whether an atomic call acts on shared memory of the body.
[[nodiscard]] bool is_shared_atomic(const KernelBody& body, const Call& call);

/// Without side effects, the same result for the same arguments (it may read through a pointer).
[[nodiscard]] CallKind kind_of_call(const CudaSource& source, std::string_view name, int depth = 0);

/// Bytes of a scalar type of CUDA, 0: not known.
[[nodiscard]] int size_of_type(std::string_view type);
[[nodiscard]] bool is_integer_type(std::string_view type);

}  // namespace warpmind::agents::builtin
