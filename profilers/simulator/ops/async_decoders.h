#pragma once
/// \file
/// The decoders behind the table of asynchronous opcodes.

#include "profilers/simulator/ops/statement_reader.h"

namespace warpmind::simulator {

// async_copy.cpp
void decode_async_copy(StatementReader& read);  ///< cp.async…

// bulk_copy.cpp: after "cp.async.bulk"
void decode_bulk_copy(StatementReader& read);

// mbarrier.cpp
void decode_mbarrier(StatementReader& read);
void decode_copy_arrive(StatementReader& read);  ///< after "cp.async.mbarrier"

}  // namespace warpmind::simulator
