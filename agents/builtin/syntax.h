#pragma once
/// \file
/// What the rewriter uses of syntax/, under the names that all of its files know.

#include "syntax/cuda_source.h"
#include "syntax/pure_calls.h"
#include "syntax/syntax_tree.h"
#include "syntax/text_edit.h"

namespace warpmind::agents::builtin {

using syntax::CudaSource;
using syntax::Function;
using syntax::FunctionKind;
using syntax::HostLaunch;
using syntax::kNoNode;
using syntax::NodeId;
using syntax::Parameter;
using syntax::Range;
using syntax::SyntaxNode;
using syntax::SyntaxTree;
using syntax::TextEdit;

using syntax::apply_edits;
using syntax::edited_part;
using syntax::is_pure_call;
using syntax::reason_not_to_edit;

}  // namespace warpmind::agents::builtin
