#include "agents/builtin/lifting/element_types.h"

#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

namespace warpmind::agents::builtin {
namespace {

CudaSource source_of(const std::string& text) {
  auto source = CudaSource::read(text);
  EXPECT_TRUE(source.has_value());
  return std::move(*source);
}

template <class T>
std::string bytes_of(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

TEST(ElementTypes, KnowsTypesVectorsAndAliases) {
  const auto source = source_of(
      "using scalar = half; typedef scalar element;\n#define T element\nusing loop = loop;\n");
  EXPECT_EQ(element_type(source, "__half2"), Dtype::f16);
  EXPECT_EQ(element_type(source, "unsigned char"), Dtype::u8);
  EXPECT_EQ(element_type(source, "size_t"), Dtype::i64);
  EXPECT_EQ(element_type(source, "scalar"), Dtype::f16);
  EXPECT_EQ(element_type(source, "T"), Dtype::f16);
  EXPECT_EQ(element_type(source, "loop"), std::nullopt);
  EXPECT_EQ(element_type(source, "Matrix"), std::nullopt);
  EXPECT_EQ(element_type(source, ""), std::nullopt);
}

TEST(ElementTypes, WritesScalarsAsPlansDo) {
  const auto source = source_of("");
  EXPECT_EQ(scalar_text(source, "int", bytes_of(-3)), "i32:-3");
  EXPECT_EQ(scalar_text(source, "bool", bytes_of(true)), "u8:1");
  EXPECT_EQ(scalar_text(source, "int64_t", bytes_of(std::int64_t{-7})), "i64:-7");
  EXPECT_EQ(scalar_text(source, "size_t", bytes_of(std::uint64_t{7})), "i64:7");
  EXPECT_EQ(scalar_text(source, "float", bytes_of(0.1F)), "f32:0.1");
  EXPECT_EQ(scalar_text(source, "double", bytes_of(1e-5)), "f64:1e-05");
  EXPECT_EQ(scalar_text(source, "half", bytes_of(std::uint16_t{0xBC00})), "f16:-1");
  EXPECT_EQ(scalar_text(source, "half", bytes_of(std::uint16_t{1})), "f16:5.960464477539063e-08");
  EXPECT_EQ(scalar_text(source, "__nv_bfloat16", bytes_of(std::uint16_t{0x3FC0})), "bf16:1.5");
}

TEST(ElementTypes, RefusesWhatAPlanCannotWrite) {
  const auto source = source_of("");
  EXPECT_EQ(scalar_text(source, "float", bytes_of(std::numeric_limits<float>::infinity())),
            std::nullopt);
  EXPECT_EQ(scalar_text(source, "double", bytes_of(std::nan(""))), std::nullopt);
  EXPECT_EQ(scalar_text(source, "half", bytes_of(std::uint16_t{0x7C00})), std::nullopt);
  EXPECT_EQ(scalar_text(source, "size_t", bytes_of(~std::uint64_t{0})), std::nullopt);
  EXPECT_EQ(scalar_text(source, "int", bytes_of(1.0)), std::nullopt) << "8 bytes";
  EXPECT_EQ(scalar_text(source, "Matrix", bytes_of(1)), std::nullopt);
  EXPECT_EQ(scalar_text(source, "int", ""), std::nullopt);
}

}  // namespace
}  // namespace warpmind::agents::builtin
