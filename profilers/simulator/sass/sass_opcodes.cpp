// How the table was made: for each PTX instruction a kernel with 8 and one with 24 of them went
// through ptxas 13.0 for sm_75, 80, 90, 100 and 120; what grew by 16 is the instruction. Names
// follow the output of NVIDIA's disassembler as quoted in public listings. Operations that such a
// difference cannot isolate (convergence, register moves to them) are those of the open-source
// compilers for the same machines.
#include "profilers/simulator/sass/sass_opcodes.h"

#include <array>

namespace warpmind::simulator {
namespace {

using Kind = SassClass;

struct Row {
  std::uint16_t operation = 0;
  std::string_view name;
  Kind kind = Kind::unknown;
};

constexpr std::array kRows = {
    // Moves, comparisons, integers.
    Row{0x002, "MOV", Kind::alu},
    Row{0x003, "P2R", Kind::alu},
    Row{0x004, "R2P", Kind::alu},
    Row{0x005, "CS2R", Kind::control},
    Row{0x006, "VOTE", Kind::alu},
    Row{0x007, "SEL", Kind::alu},
    Row{0x008, "FSEL", Kind::alu},
    Row{0x009, "FMNMX", Kind::alu},
    Row{0x00a, "FSET", Kind::alu},
    Row{0x00b, "FSETP", Kind::alu},
    Row{0x00c, "ISETP", Kind::alu},
    Row{0x010, "IADD3", Kind::alu},
    Row{0x011, "LEA", Kind::alu},
    Row{0x012, "LOP3", Kind::alu},
    Row{0x013, "IABS", Kind::alu},
    Row{0x014, "VABSDIFF", Kind::alu},
    Row{0x016, "PRMT", Kind::alu},
    Row{0x017, "IMNMX", Kind::alu},
    Row{0x019, "SHF", Kind::alu},
    Row{0x01a, "SGXT", Kind::alu},
    Row{0x01b, "BMSK", Kind::alu},
    Row{0x01c, "PLOP3", Kind::alu},
    Row{0x02f, "ELECT", Kind::alu},
    Row{0x036, "VIADD", Kind::alu},
    Row{0x046, "VIADDMNMX", Kind::alu},
    Row{0x048, "VIMNMX", Kind::alu},
    Row{0x076, "FMNMX3", Kind::alu},
    Row{0x024, "IMAD", Kind::imad},
    Row{0x025, "IMAD.WIDE", Kind::imad},
    Row{0x026, "IDP", Kind::imad},
    Row{0x027, "IMAD.HI", Kind::imad},
    // Floating point.
    Row{0x020, "FMUL", Kind::fma},
    Row{0x021, "FADD", Kind::fma},
    Row{0x023, "FFMA", Kind::fma},
    Row{0x049, "FFMA2", Kind::fma},
    Row{0x04a, "FMUL2", Kind::fma},
    Row{0x04b, "FADD2", Kind::fma},
    Row{0x028, "DMUL", Kind::fp64},
    Row{0x029, "DADD", Kind::fp64},
    Row{0x02a, "DSETP", Kind::fp64},
    Row{0x02b, "DFMA", Kind::fp64},
    Row{0x030, "HADD2", Kind::half},
    Row{0x031, "HFMA2", Kind::half},
    Row{0x032, "HMUL2", Kind::half},
    Row{0x033, "HSET2", Kind::half},
    Row{0x034, "HSETP2", Kind::half},
    Row{0x03e, "F2FP", Kind::half},
    Row{0x040, "HMNMX2", Kind::half},
    Row{0x045, "I2FP", Kind::alu},
    Row{0x100, "FLO", Kind::special},
    Row{0x101, "BREV", Kind::special},
    Row{0x102, "FCHK", Kind::special},
    Row{0x104, "F2F", Kind::special},
    Row{0x105, "F2I", Kind::special},
    Row{0x106, "I2F", Kind::special},
    Row{0x107, "FRND", Kind::special},
    Row{0x108, "MUFU", Kind::special},
    Row{0x109, "POPC", Kind::special},
    Row{0x110, "F2F.F64", Kind::special},
    Row{0x111, "F2I.F64", Kind::special},
    Row{0x112, "I2F.F64", Kind::special},
    Row{0x113, "FRND.F64", Kind::special},
    Row{0x037, "IMMA", Kind::tensor},
    Row{0x03c, "HMMA", Kind::tensor},
    Row{0x03d, "BMMA", Kind::tensor},
    Row{0x03f, "DMMA", Kind::tensor},
    Row{0x1f0, "HGMMA", Kind::tensor},
    // Memory.
    Row{0x180, "LD", Kind::load_global},
    Row{0x181, "LDG", Kind::load_global},
    Row{0x182, "LDC", Kind::load_constant},
    Row{0x183, "LDL", Kind::load_local},
    Row{0x184, "LDS", Kind::load_shared},
    Row{0x03b, "LDSM", Kind::load_shared},
    Row{0x185, "ST", Kind::store_global},
    Row{0x186, "STG", Kind::store_global},
    Row{0x187, "STL", Kind::store_local},
    Row{0x188, "STS", Kind::store_shared},
    Row{0x044, "STSM", Kind::store_shared},
    Row{0x18a, "ATOM", Kind::atomic_global},
    Row{0x18b, "ATOM.CAS", Kind::atomic_global},
    Row{0x1a8, "ATOMG", Kind::atomic_global},
    Row{0x1a9, "ATOMG.CAS", Kind::atomic_global},
    Row{0x18e, "RED", Kind::atomic_global},
    Row{0x1a6, "REDG", Kind::atomic_global},
    Row{0x18c, "ATOMS", Kind::atomic_shared},
    Row{0x18d, "ATOMS.CAS", Kind::atomic_shared},
    Row{0x1a7, "SYNCS", Kind::atomic_shared},
    Row{0x1b2, "SYNCS.EXCH", Kind::atomic_shared},
    Row{0x166, "TLD", Kind::texture},
    Row{0x1ae, "LDGSTS", Kind::async_copy},
    Row{0x1ba, "UBLKCP", Kind::async_copy},
    Row{0x1b4, "UTMALDG", Kind::async_copy},
    Row{0x1b5, "UTMASTG", Kind::async_copy},
    // Between lanes and warps.
    Row{0x189, "SHFL", Kind::shuffle},
    Row{0x03a, "MOVM", Kind::shuffle},
    Row{0x1a1, "MATCH", Kind::shuffle},
    Row{0x1c4, "REDUX", Kind::shuffle},
    Row{0x11d, "BAR", Kind::barrier},
    Row{0x1c7, "UCGABAR", Kind::barrier},
    Row{0x18f, "CCTL", Kind::fence},
    Row{0x192, "MEMBAR", Kind::fence},
    Row{0x1ab, "ERRBAR", Kind::fence},
    Row{0x1c6, "FENCE", Kind::fence},
    // The uniform datapath: most repeat an operation above, 0x80 higher.
    Row{0x082, "UMOV", Kind::uniform},
    Row{0x086, "VOTEU", Kind::uniform},
    Row{0x087, "USEL", Kind::uniform},
    Row{0x08c, "UISETP", Kind::uniform},
    Row{0x090, "UIADD3", Kind::uniform},
    Row{0x091, "ULEA", Kind::uniform},
    Row{0x092, "ULOP3", Kind::uniform},
    Row{0x096, "UPRMT", Kind::uniform},
    Row{0x099, "USHF", Kind::uniform},
    Row{0x09c, "UPLOP3", Kind::uniform},
    Row{0x0a4, "UIMAD", Kind::uniform},
    Row{0x0a5, "UIMAD.WIDE", Kind::uniform},
    Row{0x0b9, "ULDC", Kind::uniform},
    Row{0x0ca, "R2UR", Kind::uniform},
    Row{0x0cb, "CS2UR", Kind::uniform},
    Row{0x1ac, "LDCU", Kind::uniform},
    Row{0x1c2, "R2UR", Kind::uniform},
    Row{0x1c3, "S2UR", Kind::uniform},
    // Control.
    Row{0x147, "BRA", Kind::branch},
    Row{0x149, "BRX", Kind::branch},
    Row{0x143, "CALL.ABS", Kind::call},
    Row{0x144, "CALL.REL", Kind::call},
    Row{0x150, "RET", Kind::branch},
    Row{0x14d, "EXIT", Kind::exit},
    Row{0x118, "NOP", Kind::nop},
    Row{0x119, "S2R", Kind::control},
    Row{0x11a, "DEPBAR", Kind::control},
    Row{0x11c, "B2R", Kind::control},
    Row{0x141, "BSYNC", Kind::control},
    Row{0x142, "BREAK", Kind::control},
    Row{0x145, "BSSY", Kind::control},
    Row{0x146, "YIELD", Kind::control},
    Row{0x148, "WARPSYNC", Kind::control},
    Row{0x14e, "LEPC", Kind::control},
    Row{0x155, "BMOV", Kind::control},
    Row{0x156, "BMOV", Kind::control},
    Row{0x15c, "BPT", Kind::control},
    Row{0x15d, "NANOSLEEP", Kind::control},
    Row{0x1aa, "QSPC", Kind::control},
    Row{0x1af, "LDGDEPBAR", Kind::control},
    Row{0x1b7, "UTMACMDFLUSH", Kind::control},
    Row{0x1c5, "WARPGROUP", Kind::control},
};

/// One operation changed its meaning.
constexpr std::uint16_t kHalfOrWide = 0x035;
constexpr int kBlackwell = 100;
constexpr int kConsumerBlackwell = 120;

}  // namespace

SassOperation sass_operation(std::uint16_t operation, int architecture) {
  if (operation == kHalfOrWide) {
    if (architecture < kBlackwell) return {"HFMA2.MMA", Kind::half};
    if (architecture >= kConsumerBlackwell) return {"IADD.64", Kind::alu};
    return {};
  }
  for (const auto& row : kRows) {
    if (row.operation == operation) return {row.name, row.kind};
  }
  return {};
}

}  // namespace warpmind::simulator
