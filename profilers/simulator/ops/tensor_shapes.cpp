#include "profilers/simulator/ops/tensor_shapes.h"

#include <algorithm>
#include <array>
#include <string>

namespace warpmind::simulator {
namespace {

constexpr std::size_t kHalfFactorRegisters = 8;
constexpr std::size_t kThinRows = 8;
constexpr std::size_t kWideColumns = 32;

bool is_double(std::string_view type) { return type == "f64"; }
bool is_tf32(std::string_view type) { return type == "tf32"; }
bool is_narrow(std::string_view type) {
  return type == "f16" || type == "bf16" || type == "s8" || type == "u8";
}

struct WmmaShape {
  std::string_view name;
  bool (*fits)(std::string_view factor);
};

constexpr std::array kWmmaShapes = {WmmaShape{"m16n16k16", is_narrow},
                                    WmmaShape{"m32n8k16", is_narrow},
                                    WmmaShape{"m8n32k16", is_narrow},
                                    WmmaShape{"m16n16k8", is_tf32}, WmmaShape{"m8n8k4", is_double}};

std::string name_of(const ProductShape& shape) {
  return "m" + std::to_string(shape.rows) + "n" + std::to_string(shape.columns) + "k" +
         std::to_string(shape.depth);
}

}  // namespace

void take_whole_warp(StatementReader& read) {
  if (!read.take("sync")) read.fail("the form without .sync");
  if (!read.take("aligned")) read.fail("the form without .aligned");
}

ProductShape take_shape(StatementReader& read) {
  for (const std::string& modifier : read.statement().modifiers) {
    if (const auto shape = parse_shape(modifier)) {
      (void)read.take(modifier);
      return *shape;
    }
  }
  read.fail("a shape, which is missing");
  return {};
}

std::size_t tensor_bytes(std::string_view type) {
  if (type == "tf32" || type == "f32" || type == "s32") return 4;
  if (type == "f16" || type == "bf16") return 2;
  if (type == "s8" || type == "u8" || type == "e4m3" || type == "e5m2") return 1;
  return is_double(type) ? 8 : 0;
}

void require_wmma_shape(StatementReader& read, const ProductShape& shape, std::string_view factor) {
  const std::string name = name_of(shape);
  const bool is_known =
      std::any_of(kWmmaShapes.begin(), kWmmaShapes.end(),
                  [&](const WmmaShape& one) { return one.name == name && one.fits(factor); });
  if (!is_known) read.fail("the shape ." + name + " with the type ." + std::string(factor));
}

bool runs_transposed(const ProductShape& shape) {
  return shape.rows == kThinRows && shape.columns == kWideColumns;
}

ProductShape transposed(const ProductShape& shape) {
  return {shape.columns, shape.rows, shape.depth};
}

std::size_t wmma_factor_registers(std::string_view type) {
  return type == "f16" ? kHalfFactorRegisters : 0;
}

bool require_elements(StatementReader& read, const ptx::Operand& operand, std::size_t count) {
  const bool is_vector = operand.kind == ptx::OperandKind::vector;
  const std::size_t given = is_vector ? operand.elements.size() : 1;
  if (given == count) return true;
  read.fail("an operand of " + std::to_string(given) + " registers, not " + std::to_string(count));
  return false;
}

}  // namespace warpmind::simulator
