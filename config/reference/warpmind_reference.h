#ifndef WARPMIND_REFERENCE_H_
#define WARPMIND_REFERENCE_H_
/// \file
/// What a task's reference.cpp includes. It computes, in double precision on the CPU, what the
/// kernel must compute; warpmind compares the kernel's outputs with it. This header needs nothing
/// but a C++11 compiler.
///
///     #include "warpmind_reference.h"
///     void reference(const warpmind::ReferenceCall& call) {
///       const int64_t n = call.size("n");
///       const double* x = call.input("x");
///       double* y = call.output("y");
///       for (int64_t i = 0; i < n; ++i) y[i] = call.scalar("alpha") * x[i];
///     }
///
/// Inputs hold the rounded values that the kernel sees, one double an element whatever the dtype,
/// slowest extent first. Outputs start as NaN; an inout argument's output starts with its input.
/// Any thread may call `reference`, and several may at once: keep no static state.

#include <stdint.h>
#include <string.h>

namespace warpmind {

// Enumerators, because a header for any C++ has no inline variables.
// NOLINTBEGIN(readability-identifier-naming)

/// Raised by one whenever the layout below changes.
enum { kReferenceVersion = 1 };

enum ReferenceKind { kReferenceIn = 0, kReferenceOut = 1, kReferenceInout = 2 };

// NOLINTEND(readability-identifier-naming)

/// One buffer argument. For inout, `input` is the value before and `output` starts as its copy.
struct ReferenceArgument {
  const char* name;
  int32_t kind;         ///< a ReferenceKind
  const double* input;  ///< null for kind out
  double* output;       ///< null for kind in
  int64_t elements;
};

struct ReferenceSize {
  const char* name;
  int64_t value;
};

struct ReferenceScalar {
  const char* name;
  double value;  ///< rounded to the dtype of the argument
};

/// One call: one workload with one set of inputs. Plain C layout.
struct ReferenceCall {
  int32_t version;  ///< kReferenceVersion of the caller
  int32_t argument_count;
  int32_t size_count;
  int32_t scalar_count;
  const ReferenceArgument* arguments;
  const ReferenceSize* sizes;
  const ReferenceScalar* scalars;
  /// Given by the caller: reports a sentence and does not return.
  void (*fail)(void* context, const char* message);
  void* context;  ///< passed to `fail`

  /// Elements of an in or inout argument.
  const double* input(const char* name) const {
    const ReferenceArgument& found = argument(name);
    if (found.kind == kReferenceOut) stop("the reference reads an argument of kind out: ", name);
    return found.input;
  }
  /// Elements of an out or inout argument, to be written.
  double* output(const char* name) const {
    const ReferenceArgument& found = argument(name);
    if (found.kind == kReferenceIn) stop("the reference writes an argument of kind in: ", name);
    return found.output;
  }
  /// Number of elements of a buffer argument.
  int64_t elements(const char* name) const { return argument(name).elements; }
  /// A size of the workload.
  int64_t size(const char* name) const {
    for (int32_t i = 0; i < size_count; ++i) {
      if (strcmp(sizes[i].name, name) == 0) return sizes[i].value;
    }
    stop("the reference asks for a size that the workload lacks: ", name);
    return 0;
  }
  /// A scalar argument.
  double scalar(const char* name) const {
    for (int32_t i = 0; i < scalar_count; ++i) {
      if (strcmp(scalars[i].name, name) == 0) return scalars[i].value;
    }
    stop("the reference asks for a scalar that the task lacks: ", name);
    return 0;
  }

 private:
  const ReferenceArgument& argument(const char* name) const {
    for (int32_t i = 0; i < argument_count; ++i) {
      if (strcmp(arguments[i].name, name) == 0) return arguments[i];
    }
    stop("the reference asks for an argument that the task lacks: ", name);
    return arguments[0];
  }
  void stop(const char* what, const char* name) const {
    char message[256];
    strncpy(message, what, sizeof message - 1);
    message[sizeof message - 1] = '\0';
    strncat(message, name, sizeof message - 1 - strlen(message));
    fail(context, message);
    __builtin_trap();  // a caller whose `fail` returns breaks the contract
  }
};

}  // namespace warpmind

/// Defined by the task's reference.cpp.
extern "C" void reference(const warpmind::ReferenceCall& call);

#endif  // WARPMIND_REFERENCE_H_
