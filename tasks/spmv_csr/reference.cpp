#include "warpmind_reference.h"

void reference(const warpmind::ReferenceCall& call) {
  const double* shift = call.input("shift");
  const double* columns = call.input("columns");
  const double* values = call.input("values");
  const double* x = call.input("x");
  for (int64_t row = 0; row < call.size("rows"); ++row) {
    const int64_t begin = 16 * row + static_cast<int64_t>(shift[row]);
    const int64_t end = 16 * (row + 1) + static_cast<int64_t>(shift[row + 1]);
    double sum = 0;
    for (int64_t i = begin; i < end; ++i) sum += values[i] * x[static_cast<int64_t>(columns[i])];
    call.output("y")[row] = sum;
  }
}
