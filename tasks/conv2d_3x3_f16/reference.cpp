#include "warpmind_reference.h"

#include <algorithm>

void reference(const warpmind::ReferenceCall& call) {
  const int64_t channels = call.size("channels");
  const int64_t outputs = call.size("outputs");
  const int64_t height = call.size("height");
  const int64_t width = call.size("width");
  const int64_t plane = height * width;
  for (int64_t image = 0; image < call.size("images"); ++image) {
    for (int64_t output = 0; output < outputs; ++output) {
      double* y = call.output("y") + (image * outputs + output) * plane;
      std::fill(y, y + plane, 0.0);
      for (int64_t tap = 0; tap < channels * 9; ++tap) {
        const double* x = call.input("x") + (image * channels + tap / 9) * plane;
        const double weight = call.input("filter")[output * channels * 9 + tap];
        const int64_t dy = tap % 9 / 3 - 1;
        const int64_t dx = tap % 3 - 1;
        for (int64_t row = std::max<int64_t>(0, -dy); row < std::min(height, height - dy); ++row) {
          const int64_t end = std::min(width, width - dx);
          for (int64_t column = std::max<int64_t>(0, -dx); column < end; ++column) {
            y[row * width + column] += weight * x[(row + dy) * width + column + dx];
          }
        }
      }
    }
  }
}
