#include "warpmind_reference.h"

void reference(const warpmind::ReferenceCall& call) {
  const int64_t rows = call.size("rows");
  const int64_t columns = call.size("columns");
  const double* input = call.input("input");
  const double* bias = call.input("bias");
  double* output = call.output("output");
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      output[column * rows + row] = input[row * columns + column] + bias[column];
    }
  }
}
