#pragma once
/// \file
/// The decoders behind the tables of integer, float, move and warp opcodes.

#include "profilers/simulator/ops/statement_reader.h"

namespace warpmind::simulator {

// integer_arithmetic.cpp
void decode_integer_add(StatementReader& read);
void decode_integer_sub(StatementReader& read);
void decode_integer_mul(StatementReader& read);
void decode_integer_mad(StatementReader& read);
void decode_mul24(StatementReader& read);
void decode_mad24(StatementReader& read);
void decode_integer_div(StatementReader& read);
void decode_integer_rem(StatementReader& read);
void decode_integer_abs(StatementReader& read);
void decode_integer_neg(StatementReader& read);
void decode_integer_min(StatementReader& read);
void decode_integer_max(StatementReader& read);
void decode_sad(StatementReader& read);

// integer_carry.cpp: add.cc addc sub.cc subc mad.cc madc
enum class CarryOperation { add, subtract };
void decode_carry(StatementReader& read, CarryOperation operation, bool reads_carry,
                  bool writes_carry);
void decode_carry_mad(StatementReader& read, bool reads_carry, bool writes_carry);
void decode_addc(StatementReader& read);
void decode_subc(StatementReader& read);
void decode_madc(StatementReader& read);

// integer_logic.cpp
void decode_and(StatementReader& read);
void decode_or(StatementReader& read);
void decode_xor(StatementReader& read);
void decode_not(StatementReader& read);
void decode_cnot(StatementReader& read);
void decode_lop3(StatementReader& read);
void decode_shl(StatementReader& read);
void decode_shr(StatementReader& read);
void decode_shf(StatementReader& read);
void decode_predicate_and(StatementReader& read);
void decode_predicate_or(StatementReader& read);
void decode_predicate_xor(StatementReader& read);
void decode_predicate_not(StatementReader& read);
void decode_predicate_mov(StatementReader& read);

// integer_fields.cpp
void decode_bfe(StatementReader& read);
void decode_bfi(StatementReader& read);
void decode_bfind(StatementReader& read);
void decode_clz(StatementReader& read);
void decode_popc(StatementReader& read);
void decode_brev(StatementReader& read);
void decode_fns(StatementReader& read);
void decode_bmsk(StatementReader& read);
void decode_szext(StatementReader& read);

// permute.cpp
void decode_prmt(StatementReader& read);

// integer_dot.cpp
void decode_dp4a(StatementReader& read);
void decode_dp2a(StatementReader& read);
void decode_vabsdiff(StatementReader& read);
void decode_vabsdiff2(StatementReader& read);
void decode_vabsdiff4(StatementReader& read);

// float_arithmetic.cpp
void decode_float_add(StatementReader& read);
void decode_float_sub(StatementReader& read);
void decode_float_mul(StatementReader& read);
void decode_float_fma(StatementReader& read);
void decode_float_div(StatementReader& read);
void decode_rcp(StatementReader& read);
void decode_sqrt(StatementReader& read);
void decode_rsqrt(StatementReader& read);

// float_special.cpp
void decode_sin(StatementReader& read);
void decode_cos(StatementReader& read);
void decode_lg2(StatementReader& read);
void decode_ex2(StatementReader& read);
void decode_tanh(StatementReader& read);
void decode_testp(StatementReader& read);

// float_selection.cpp
void decode_float_min(StatementReader& read);
void decode_float_max(StatementReader& read);
void decode_float_abs(StatementReader& read);
void decode_float_neg(StatementReader& read);
void decode_copysign(StatementReader& read);

// half_arithmetic.cpp: f16 bf16 f16x2 bf16x2
void decode_half_add(StatementReader& read);
void decode_half_sub(StatementReader& read);
void decode_half_mul(StatementReader& read);
void decode_half_fma(StatementReader& read);
void decode_half_min(StatementReader& read);
void decode_half_max(StatementReader& read);
void decode_half_abs(StatementReader& read);
void decode_half_neg(StatementReader& read);
void decode_half_ex2(StatementReader& read);
void decode_half_tanh(StatementReader& read);

// compare_opcodes.cpp, half_compare.cpp
void decode_setp(StatementReader& read);
void decode_set(StatementReader& read);
void decode_selp(StatementReader& read);
void decode_slct(StatementReader& read);

// move_opcodes.cpp, address_moves.cpp
void decode_mov(StatementReader& read);
void decode_cvta(StatementReader& read);
void decode_isspacep(StatementReader& read);

// convert.cpp, convert_float.cpp, convert_packed.cpp
void decode_cvt(StatementReader& read);

// warp_opcodes.cpp, shuffle.cpp, warp_votes.cpp
void decode_shfl(StatementReader& read);
void decode_vote(StatementReader& read);
void decode_match(StatementReader& read);
void decode_redux(StatementReader& read);
void decode_activemask(StatementReader& read);
void decode_elect(StatementReader& read);
/// bar.warp.sync; bar with other modifiers is control flow.
void decode_warp_barrier(StatementReader& read);

}  // namespace warpmind::simulator
