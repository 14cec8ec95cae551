//===- Object.h - From kernels to an object file ----------------*- C++ -*-===//
//
// The last arrow: an llvm::Module with the kernels of some functions, and their
// interfaces, become an object whose global symbols are NAME, NAME_raw,
// NAME_workspace and NAME_describe and which needs nothing but libc.
//
// What the module must define for each function NAME, grids n = 0, 1, ...:
//   i64  @NAME.grid<n>.tasks(ptr %call)                 independent tasks
//   void @NAME.grid<n>.body(ptr %call, ptr %scratch, i64 %task)
//   i64  @NAME.scratch(ptr %call)                       bytes for one worker
//   i64  @NAME.workspace(ptr %call)                     bytes shared by all
// with %call as struct attnc_call of lib/Emit/Abi/entry.h. Grids run in order
// with a barrier between; scratch and workspace are aligned to 64 bytes.
// NAME.scratch and NAME.workspace read only `sizes` (NAME_workspace calls them
// without tensors), so they hold for any strides.
// Tests: test/Unit/Emit/ObjectTest.cpp, test/Unit/Emit/EntryTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_EMIT_OBJECT_H
#define ATTNC_EMIT_OBJECT_H

#include "attnc/Interface/Interface.h"

#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace llvm {
class Module;
class raw_pwrite_stream;
} // namespace llvm

namespace attnc {

struct Target;

/// What the kernels are compiled for, in LLVM's words.
struct CodegenTarget {
  std::string triple;   // "x86_64-unknown-linux-gnu"
  std::string cpu;      // "x86-64-v4"
  std::string features; // "-prefer-256-bit"; may be empty
  /// What a call checks by CPUID, LLVM's names with blanks between.
  std::string requiredFeatures;
  /// For people: "x86-64-v4".
  std::string label;
};

/// The words of one level of the table in lib/Target.
CodegenTarget makeCodegenTarget(const Target &cpu, llvm::StringRef triple);

enum class EmitKind { Object, Assembly, LlvmIr };

/// Optimises the kernels for `target`, adds the entries and writes one object
/// (or its text: Assembly, and LlvmIr as it goes to instruction selection). The
/// `beginPhase` is called with the name of each step that takes time. The bytes
/// depend on the arguments alone; nothing is written on an error, which
/// names what is missing or wrong. `functions` are verified.
llvm::Error
emitObject(std::unique_ptr<llvm::Module> kernels,
           llvm::ArrayRef<Interface> functions, const CodegenTarget &target,
           llvm::raw_pwrite_stream &out, EmitKind kind = EmitKind::Object,
           llvm::function_ref<void(llvm::StringRef)> beginPhase = {});

/// What NAME_describe returns: one JSON object with the keys name, title,
/// compiler, abi, targets, kernels, spec.
std::string describeJson(const Interface &function,
                         const CodegenTarget &target);

} // namespace attnc

#endif // ATTNC_EMIT_OBJECT_H
