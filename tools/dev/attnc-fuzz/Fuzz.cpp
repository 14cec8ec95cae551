//===- Fuzz.cpp - The front ends in process, for libFuzzer ----------------===//
//
// A spec is imported to stage graph; a dump is verified and brought to the next
// stage. Either may be refused; a crash, a failed assertion and a report of a
// sanitizer are findings. docs/testing.md says how to build and run it.
// Tests: test/Tools/Dev/fuzz-files.test
//
//===----------------------------------------------------------------------===//

#include "Compile/Session.h"

#include "attnc/Pipeline/Backends.h"
#include "attnc/Target/Platform.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace attnc;

/// The stage of a dump by what it holds; a text without ops is a spec.
static Stage guessStage(llvm::StringRef text) {
  std::vector<Stage> stages = stageTable().stages();
  for (Stage stage : llvm::reverse(stages))
    if (llvm::StringRef ops = stageTable()[stage].ops;
        !ops.empty() && text.contains(ops))
      return stage;
  if (text.contains("#attn.schedule<"))
    return Stage::Scheduled;
  if (text.contains("attn.kernel"))
    return Stage::Fused;
  return text.contains("module") || text.contains("func.func") ? Stage::Graph
                                                               : Stage::Spec;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  useColors(false);
  CommonOptions options;
  options.input = "input";
  options.platform = &getHostPlatform();
  options.targets = options.platform->getDefaultLevels();
  CrashReport report("attnc-fuzz", options);
  Session session(options, report);
  Stage stage = guessStage(text);
  if (session.load(llvm::MemoryBuffer::getMemBufferCopy(text, options.input),
                   stage) &&
      stage < lastStage(session.pipelineOptions()))
    session.advanceTo(Stage(stage.number() + 1));
  return 0;
}
