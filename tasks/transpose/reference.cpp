#include "warpmind_reference.h"

void reference(const warpmind::ReferenceCall& call) {
  const int64_t rows = call.size("rows");
  const int64_t columns = call.size("columns");
  const double* input = call.input("input");
  double* output = call.output("output");
  const int64_t tile = 32;  // both sides of a tile stay in the cache
  for (int64_t row0 = 0; row0 < rows; row0 += tile) {
    for (int64_t column0 = 0; column0 < columns; column0 += tile) {
      for (int64_t row = row0; row < rows && row < row0 + tile; ++row) {
        for (int64_t column = column0; column < columns && column < column0 + tile; ++column) {
          output[column * rows + row] = input[row * columns + column];
        }
      }
    }
  }
}
