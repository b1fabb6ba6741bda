#include "warpmind_reference.h"

void reference(const warpmind::ReferenceCall& call) {
  const int64_t rows = call.size("rows");
  const int64_t columns = call.size("columns");
  for (int64_t r = 0; r < rows; ++r) {
    const double* x = call.input("x") + r * columns;
    double sum = 0;
    for (int64_t c = 0; c < columns; ++c) sum += x[c];
    const double mean = sum / static_cast<double>(columns);
    double squares = 0;
    for (int64_t c = 0; c < columns; ++c) squares += (x[c] - mean) * (x[c] - mean);
    call.output("variance")[r] = squares / static_cast<double>(columns);
  }
}
