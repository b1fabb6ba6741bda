#include "warpmind_reference.h"

#include <cmath>

void reference(const warpmind::ReferenceCall& call) {
  const int64_t rows = call.size("rows");
  const int64_t columns = call.size("columns");
  for (int64_t row = 0; row < rows; ++row) {
    const double* x = call.input("x") + row * columns;
    double* y = call.output("y") + row * columns;
    double largest = x[0];
    for (int64_t i = 1; i < columns; ++i) largest = x[i] > largest ? x[i] : largest;
    double sum = 0;
    for (int64_t i = 0; i < columns; ++i) {
      y[i] = std::exp(x[i] - largest);
      sum += y[i];
    }
    for (int64_t i = 0; i < columns; ++i) y[i] /= sum;
  }
}
