#include "warpmind_reference.h"

#include <cmath>

void reference(const warpmind::ReferenceCall& call) {
  const int64_t rows = call.size("rows");
  const int64_t columns = call.size("columns");
  const double* weight = call.input("weight");
  const double epsilon = call.scalar("epsilon");
  for (int64_t row = 0; row < rows; ++row) {
    const double* x = call.input("x") + row * columns;
    double* y = call.output("y") + row * columns;
    double squares = 0;
    for (int64_t c = 0; c < columns; ++c) squares += x[c] * x[c];
    const double scale = 1 / std::sqrt(squares / static_cast<double>(columns) + epsilon);
    for (int64_t c = 0; c < columns; ++c) y[c] = x[c] * scale * weight[c];
  }
}
