#include "warpmind_reference.h"

#include <cmath>

void reference(const warpmind::ReferenceCall& call) {
  const int64_t rows = call.size("rows");
  const int64_t columns = call.size("columns");
  const double* bias = call.input("bias");
  for (int64_t r = 0; r < rows; ++r) {
    const double* x = call.input("x") + r * columns;
    double* y = call.output("y") + r * columns;
    for (int64_t c = 0; c < columns; ++c) {
      const double value = x[c] + bias[c];
      const double inner = 0.7978845608028654 * (value + 0.044715 * value * value * value);
      y[c] = 0.5 * value * (1 + std::tanh(inner));
    }
  }
}
