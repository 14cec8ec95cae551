//===- Assembly.h - Execution of inline assembly --------------------------===//
//
// Inline assembly is a list of operations on registers. The table of PTX forms
// in Assembly.cpp gives the operation of each instruction.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TOOLS_NVPTXEMULATOR_ASSEMBLY_H
#define ATTNC_TOOLS_NVPTXEMULATOR_ASSEMBLY_H

#include "Machine/Machine.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/Support/Error.h"

namespace attnc::nvptx {

class Assembly {
public:
  /// `site` is the number of the first instruction; the others follow. An error
  /// names what is not emulated.
  static llvm::Expected<Assembly> create(const llvm::InlineAsm &assembly,
                                         uint32_t site);

  unsigned siteCount() const { return steps.size(); }
  /// Executes it for the current thread: one slot per input, also those that
  /// are tied to outputs, and per output.
  void execute(Machine &machine, const uint64_t *inputs, uint64_t *outputs);

private:
  /// A register, or a constant.
  struct Value {
    int reg = -1;
    uint64_t constant = 0;
  };
  struct Step {
    Operation operation;
    std::vector<Value> args;
    std::vector<int> results; // registers; negative: unused
    int guard = -1;           // a register, or none
    bool isNegated = false;
    int target = -1; // of a branch
  };
  class Translator;

  std::vector<Step> steps;
  unsigned outputCount = 0, inputCount = 0;
  /// Registers are outputs, inputs, and those that the text declares. The
  /// input that an output begins with, or negative.
  std::vector<int> tiedInputs;
  unsigned registerCount = 0;
  uint32_t site = 0;
};

} // namespace attnc::nvptx

#endif // ATTNC_TOOLS_NVPTXEMULATOR_ASSEMBLY_H
