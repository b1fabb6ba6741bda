#pragma once
/// \file
/// Shapes and types that mma, wmma and wgmma share, read from their statements.

#include "profilers/simulator/ops/statement_reader.h"
#include "profilers/simulator/ops/tensor_fragment.h"

#include <string_view>

namespace warpmind::simulator {

/// .sync.aligned, without which they do not exist.
void take_whole_warp(StatementReader& read);

/// The shape that the statement names. Fails where it has none.
[[nodiscard]] ProductShape take_shape(StatementReader& read);

/// Bytes of an element that tensor instructions multiply or add; 0 for any other type.
[[nodiscard]] std::size_t tensor_bytes(std::string_view type);

/// Fails, naming both, unless wmma has the shape for factors of the type.
void require_wmma_shape(StatementReader& read, const ProductShape& shape, std::string_view factor);

/// m8n32 runs as its transpose, m32n8 with the factors changed over.
[[nodiscard]] bool runs_transposed(const ProductShape& shape);
[[nodiscard]] ProductShape transposed(const ProductShape& shape);

/// Registers that wmma names for a factor, whatever its size: eight of f16; else 0, which stands
/// for no more than are needed.
[[nodiscard]] std::size_t wmma_factor_registers(std::string_view type);

/// Fails unless the operand has `count` elements.
[[nodiscard]] bool require_elements(StatementReader& read, const ptx::Operand& operand,
                                    std::size_t count);

}  // namespace warpmind::simulator
