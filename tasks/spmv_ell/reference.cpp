#include "warpmind_reference.h"

void reference(const warpmind::ReferenceCall& call) {
  const double* lengths = call.input("lengths");
  const double* columns = call.input("columns");
  const double* values = call.input("values");
  const double* x = call.input("x");
  for (int64_t row = 0; row < call.size("rows"); ++row) {
    double sum = 0;
    for (int64_t i = row * 32; i < row * 32 + static_cast<int64_t>(lengths[row]); ++i) {
      sum += values[i] * x[static_cast<int64_t>(columns[i])];
    }
    call.output("y")[row] = sum;
  }
}
