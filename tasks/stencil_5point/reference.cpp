#include "warpmind_reference.h"

void reference(const warpmind::ReferenceCall& call) {
  const int64_t height = call.size("height");
  const int64_t width = call.size("width");
  const double* u = call.input("u");
  const double* f = call.input("f");
  double* v = call.output("v");
  for (int64_t row = 0; row < height; ++row) {
    for (int64_t column = 0; column < width; ++column) {
      const int64_t i = row * width + column;
      const bool edge = row == 0 || row == height - 1 || column == 0 || column == width - 1;
      v[i] = edge ? u[i] : 0.25 * (u[i - 1] + u[i + 1] + u[i - width] + u[i + width] + f[i]);
    }
  }
}
