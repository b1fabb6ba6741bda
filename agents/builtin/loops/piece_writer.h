#pragma once
/// \file
/// Text that moves the streams of a loop in pieces of several elements, with templates/vector_pack
/// and templates/row_pieces.

#include "agents/builtin/loops/strided_loop.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// Elements that make a piece of 16 bytes of the narrowest stream, at most 8; 0: there is no stream
/// that gains.
[[nodiscard]] std::int64_t piece_items(const std::vector<Stream>& streams);

struct PieceLoop {
  StridedLoop loop;
  std::vector<Stream> streams;
  std::int64_t items = 8;
};

/// A block in place of the for statement: pieces, and what is left element by element.
[[nodiscard]] std::string in_pieces(const KernelBody& body, const PieceLoop& pieces,
                                    const std::string& indent);

/// The body of the loop with its streams read from and written to packs: `names[s]` for stream s,
/// element `element`.
[[nodiscard]] std::vector<TextEdit> pack_edits(const SyntaxTree& tree,
                                               const std::vector<Stream>& streams,
                                               const std::vector<std::string>& names,
                                               const std::string& element);

}  // namespace warpmind::agents::builtin
