//===- Ptx.h - The syntax of PTX in inline assembly -----------------------===//

#ifndef ATTNC_TOOLS_NVPTXEMULATOR_PTX_H
#define ATTNC_TOOLS_NVPTXEMULATOR_PTX_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace attnc::nvptx {

struct PtxOperand {
  enum Kind {
    placeholder, // $3: number
    name,        // a register, a label or a special register
    integer,     // number
    sink,        // _
    address,     // [parts], a comma or nothing between them
    list,        // {parts}
    pair         // parts[0]|parts[1]
  };
  Kind kind = integer;
  int64_t number = 0;
  std::string text; // of a name
  std::vector<PtxOperand> parts;
};

struct PtxInstruction {
  std::optional<PtxOperand> guard; // @guard, or @!guard if it is negated
  bool isNegated = false;
  std::string opcode; // with its modifiers
  std::vector<PtxOperand> operands;
};

struct PtxCode {
  std::vector<PtxInstruction> instructions;
  std::map<std::string, unsigned> labels; // the instruction after each
};

/// Parses the text of inline assembly. Declarations of registers and braces
/// around statements are skipped.
llvm::Expected<PtxCode> parsePtx(llvm::StringRef text);

} // namespace attnc::nvptx

#endif // ATTNC_TOOLS_NVPTXEMULATOR_PTX_H
