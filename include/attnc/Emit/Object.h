//===- Object.h - From kernels to an object file ----------------*- C++ -*-===//
//
// The last arrow: the kernels of some functions, compiled for one or several
// processors, and the functions' interfaces become an object whose global
// symbols are NAME, NAME_raw, NAME_workspace and NAME_describe and which needs
// nothing but libc. The kernels for one processor are a part. All parts share
// the entry, the header and the description; a call runs the first part that
// its processor supports.
//
// What each part's module must define for each function NAME, grids n = 0, 1,
// ...:
//   i64  @NAME.grid<n>.tasks(ptr %call)                 independent tasks
//   void @NAME.grid<n>.body(ptr %call, ptr %scratch, i64 %task)
//   i64  @NAME.scratch(ptr %call)                       bytes for one worker
//   i64  @NAME.workspace(ptr %call)                     bytes shared by all
// A part whose kernels run on a device with memory of its own also defines the
// constant @attnc_device, a struct attnc_device; its bodies launch kernels.
// %call is a struct attnc_call of lib/Emit/Abi/entry.h. Grids run in order
// with a barrier between; scratch and workspace are aligned to 64 bytes.
// NAME.scratch and NAME.workspace read only `sizes` (NAME_workspace calls them
// without tensors), so they hold for any strides.
// Tests: test/Unit/Emit/ObjectTest.cpp, test/Unit/Emit/PartsTest.cpp,
// test/Unit/Emit/EntryTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_EMIT_OBJECT_H
#define ATTNC_EMIT_OBJECT_H

#include "attnc/Interface/Interface.h"
#include "attnc/Target/Platform.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Module;
class raw_pwrite_stream;
} // namespace llvm

namespace attnc {

/// What the kernels are compiled for, in LLVM's words.
struct CodegenTarget {
  std::string triple;   // "x86_64-unknown-linux-gnu"
  std::string cpu;      // "x86-64-v4"
  std::string features; // "-prefer-256-bit"; may be empty
  /// What a call checks, LLVM's names with blanks between.
  std::string requiredFeatures;
  /// What it checks besides if a kernel uses the matrix unit.
  std::string matrixFeatures = {};
  /// Of processors on which fmas are faster than this level's dot-product unit
  /// for bf16, the unit's rate there in FLOP per cycle, and their level's name.
  /// A part with kernels for that unit is the last choice there if another part
  /// has faster fmas.
  std::string slowPairFeatures = {};
  unsigned slowPairRate = 0;
  std::string slowPairLabel = {};
  unsigned fmaRate = 0; // of this level in f32
  /// What every processor of the triple has, and its ABI; may be empty.
  std::string baselineFeatures = {}, abi = {};
  /// See Platform.
  std::string systemSymbols = {};
  bool isPositionIndependent = true;
  /// See Target.
  unsigned vscale = 0;
  /// For people: "x86-64-v4".
  std::string label;
};

/// The words of one level of the table in lib/Target.
CodegenTarget makeCodegenTarget(const Target &cpu, const Platform &platform);

/// The kernels of all functions for one processor.
struct Part {
  CodegenTarget target;
  TargetKind device = TargetKind::Cpu;
  std::unique_ptr<llvm::Module> kernels;
  /// The kernels hold extents and strides, in elements, in 32 bits: a call with
  /// others is refused.
  bool isNarrow = false;
  /// By function, the cases of this part; a function that is not listed has
  /// those of its interface.
  llvm::StringMap<std::vector<InterfaceCase>> cases;
};

/// Clears `slowPairFeatures` of parts that need not be passed over: no kernel
/// uses VDPBF16PS, or no other part has faster fmas. `emitObject` does so, too.
void findSlowParts(llvm::MutableArrayRef<Part> parts);

enum class EmitKind { Object, Assembly, LlvmIr };

/// Optimizes each part for its target, adds the entries and writes one object
/// (or its text: Assembly, and LlvmIr as it goes to instruction selection).
/// `parts` are ordered best first and have one triple, one LLVMContext and
/// different labels; there is at least one. With several, the names of a
/// part's functions end in `.LABEL`. `beginPhase` is called with the name of
/// each step that takes time. The bytes depend on the arguments alone; nothing
/// is written on an error, which names what is missing or wrong. `functions`
/// are verified.
llvm::Error
emitObject(std::vector<Part> parts, llvm::ArrayRef<Interface> functions,
           llvm::raw_pwrite_stream &out, EmitKind kind = EmitKind::Object,
           llvm::function_ref<void(llvm::StringRef)> beginPhase = {});

/// What NAME_describe returns: one JSON object with the keys name, title,
/// compiler, abi, targets, kernels, spec. `targets` are the labels of the
/// parts, best first.
std::string describeJson(const Interface &function,
                         llvm::ArrayRef<std::string> targets);

} // namespace attnc

#endif // ATTNC_EMIT_OBJECT_H
