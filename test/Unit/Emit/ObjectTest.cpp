//===- ObjectTest.cpp - Tests of the object as a file ---------------------===//

#include "Jit.h"

#include "attnc/Target/Target.h"

#include "../Interface/Examples.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

#include <set>

using namespace attnc;

namespace {

int64_t zero(const attnc_call *) { return 0; }
void nothing(const attnc_call *, void *, int64_t) {}
const TestKernel kKernel = {{{zero, nothing}}, zero, zero};

struct Emitted {
  std::string bytes, error;
};

Emitted emit(const std::string &text, llvm::ArrayRef<Interface> functions,
             EmitKind kind = EmitKind::Object,
             const CodegenTarget &target = baselineTarget()) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(text, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  Emitted result;
  if (llvm::Error error = emitObject(onePart(std::move(module), target),
                                     functions, stream, kind))
    result.error = llvm::toString(std::move(error));
  result.bytes = stream.str().str();
  return result;
}

/// Names of the symbols for which all of `flags` are set.
std::set<std::string> symbols(const std::string &bytes, uint32_t flags) {
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(bytes, "object"));
  EXPECT_TRUE(static_cast<bool>(file));
  std::set<std::string> names;
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols())
    if ((llvm::cantFail(symbol.getFlags()) & flags) == flags)
      names.insert(llvm::cantFail(symbol.getName()).str());
  names.erase("");
  return names;
}

std::string module(llvm::StringRef name = "gpt2_small") {
  return kernelModule(name, kKernel);
}

/// The module with one more instruction in the body of its grid.
std::string withInstruction(const std::string &instruction,
                            const std::string &declarations) {
  std::string text = module();
  size_t end = text.find("  ret void");
  return text.insert(end, "  " + instruction + "\n") + declarations;
}

TEST(ObjectTest, HasFourGlobalSymbolsAndAsksForMemoryAndTheEnvironmentOnly) {
  Emitted object = emit(module(), gpt2Small());
  ASSERT_EQ(object.error, "");
  using llvm::object::BasicSymbolRef;
  EXPECT_EQ(symbols(object.bytes, BasicSymbolRef::SF_Undefined),
            (std::set<std::string>{"malloc", "free", "getenv"}));
  std::set<std::string> global =
      symbols(object.bytes, BasicSymbolRef::SF_Global);
  global.erase("malloc");
  global.erase("free");
  global.erase("getenv");
  EXPECT_EQ(global, (std::set<std::string>{"gpt2_small", "gpt2_small_raw",
                                           "gpt2_small_workspace",
                                           "gpt2_small_describe"}));
}

TEST(ObjectTest, SharesTheEntryBetweenFunctions) {
  Interface second = withDocuments();
  second.name = "second";
  Emitted one = emit(module(), gpt2Small());
  Emitted two = emit(module() + module("second"), {gpt2Small(), second});
  ASSERT_EQ(two.error, "");
  EXPECT_LT(two.bytes.size(), one.bytes.size() + 8000);
  EXPECT_LT(one.bytes.size(), 25000u);
}

TEST(ObjectTest, HasTheSameBytesEveryTime) {
  EXPECT_EQ(emit(module(), gpt2Small()).bytes,
            emit(module(), gpt2Small()).bytes);
}

TEST(ObjectTest, HoldsNoPathOfTheBuild) {
  std::string bytes = emit(module(), gpt2Small()).bytes;
  EXPECT_EQ(bytes.find("entry.c"), std::string::npos);
  EXPECT_EQ(bytes.find(ATTNC_TEST_RUNTIME), std::string::npos);
}

TEST(ObjectTest, IsPositionIndependent) {
  std::string bytes = emit(module(), gpt2Small()).bytes;
  auto file = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(bytes, "object")));
  for (const llvm::object::SectionRef &section : file->sections()) {
    if (llvm::cantFail(section.getName()) != ".rela.text")
      continue;
    for (const llvm::object::RelocationRef &relocation :
         section.relocations()) {
      llvm::SmallString<32> type;
      relocation.getTypeName(type);
      EXPECT_NE(type, "R_X86_64_64");
      EXPECT_NE(type, "R_X86_64_32");
      EXPECT_NE(type, "R_X86_64_32S");
    }
  }
}

TEST(ObjectTest, PrintsItsTextForms) {
  Emitted assembly = emit(module(), gpt2Small(), EmitKind::Assembly);
  EXPECT_NE(assembly.bytes.find("\ngpt2_small:"), std::string::npos);
  Emitted ir = emit(module(), gpt2Small(), EmitKind::LlvmIr);
  EXPECT_NE(ir.bytes.find("define i32 @gpt2_small("), std::string::npos);
}

TEST(ObjectTest, CompilesKernelsForTheTargetAndTheEntryForAny) {
  std::string text =
      withInstruction("%a = load <16 x float>, ptr %scratch, align 4\n"
                      "  %b = fadd <16 x float> %a, %a\n"
                      "  store <16 x float> %b, ptr %scratch, align 4",
                      "");
  CodegenTarget target =
      makeCodegenTarget(*lookupTarget("x86-64-v4"), getHostPlatform());
  std::string assembly =
      emit(text, gpt2Small(), EmitKind::Assembly, target).bytes;
  size_t kernels = assembly.find("\ngpt2_small"); // the entry comes first
  ASSERT_NE(kernels, std::string::npos);
  std::string entry = assembly.substr(0, kernels);
  EXPECT_NE(entry.find("\nattnc_entry_tensors:"), std::string::npos);
  EXPECT_EQ(entry.find("%zmm"), std::string::npos);
  EXPECT_EQ(entry.find("%ymm"), std::string::npos);
  EXPECT_NE(assembly.find("%zmm", kernels), std::string::npos);
}

// Stores `value` into the bytes of the scratch.
std::string withLoop(const std::string &value) {
  return withInstruction("br label %loop\nloop:\n"
                         "  %i = phi i64 [0, %0], [%j, %loop]\n"
                         "  %p = getelementptr i8, ptr %scratch, i64 %i\n"
                         "  %t = trunc i64 %i to i8\n"
                         "  store i8 " +
                             value +
                             ", ptr %p\n  %j = add i64 %i, 1\n"
                             "  %c = icmp ult i64 %j, %task\n"
                             "  br i1 %c, label %loop, label %end\nend:",
                         "");
}

TEST(ObjectTest, KeepsLoopsThatLookLikeMemset) {
  Emitted object = emit(withLoop("0"), gpt2Small());
  EXPECT_EQ(object.error, "");
  EXPECT_EQ(symbols(object.bytes, llvm::object::BasicSymbolRef::SF_Undefined)
                .count("memset"),
            0u);
}

TEST(ObjectTest, LeavesVectorsAndUnrollingToTheKernels) {
  Emitted ir = emit(withLoop("%t"), gpt2Small(), EmitKind::LlvmIr);
  size_t body = ir.bytes.find("@gpt2_small.grid0.body(ptr");
  ASSERT_NE(body, std::string::npos);
  std::string text = ir.bytes.substr(body, ir.bytes.find("\n}", body) - body);
  size_t store = text.find("store i8");
  EXPECT_NE(store, std::string::npos) << text;
  EXPECT_EQ(text.find("store i8", store + 1), std::string::npos) << text;
  EXPECT_EQ(text.find(" x i8>"), std::string::npos) << text;
}

//===----------------------------------------------------------------------===//
// What it refuses
//===----------------------------------------------------------------------===//

TEST(ObjectTest, RefusesACallOfALibrary) {
  Emitted object = emit(withInstruction("%x = call float @tanhf(float 1.0)\n"
                                        "  store float %x, ptr %scratch",
                                        "declare float @tanhf(float)\n"),
                        gpt2Small());
  EXPECT_EQ(object.error, "the object would need the symbol 'tanhf', which "
                          "libc does not give everywhere");
  EXPECT_EQ(object.bytes, "");
}

TEST(ObjectTest, RefusesACallThatInstructionSelectionMakes) {
  Emitted object =
      emit(withInstruction("%v = load float, ptr %scratch\n"
                           "  %x = call float @llvm.exp2.f32(float %v)\n"
                           "  store float %x, ptr %scratch",
                           "declare float @llvm.exp2.f32(float)\n"),
           gpt2Small());
  EXPECT_EQ(object.error, "the object would need the symbol 'exp2f', which "
                          "libc does not give everywhere");
  EXPECT_EQ(object.bytes, "");
}

TEST(ObjectTest, RefusesAMissingKernel) {
  EXPECT_EQ(emit(module("other"), gpt2Small()).error,
            "the kernels define no function 'gpt2_small.scratch'");
  std::string text = module();
  size_t at = text.find("grid0.tasks");
  EXPECT_EQ(emit(text.replace(at, 5, "grid7"), gpt2Small()).error,
            "the kernels define no function 'gpt2_small.grid0.tasks'");
}

TEST(ObjectTest, RefusesAKernelOfAnotherType) {
  std::string text = module();
  size_t at = text.find(", i64 %task)");
  text.replace(at, strlen(", i64 %task)"), ", i32 %old)");
  text.replace(text.find(", i64 %task)"), strlen(", i64 %task)"), ", i64 0)");
  EXPECT_EQ(emit(text, gpt2Small()).error,
            "the kernels' function 'gpt2_small.grid0.body' has another type "
            "than the entry calls");
}

TEST(ObjectTest, RefusesAFeatureThatNoCallCanCheck) {
  CodegenTarget target = baselineTarget();
  target.requiredFeatures = "egpr";
  EXPECT_EQ(emit(module(), gpt2Small(), EmitKind::Object, target).error,
            "no call can check the feature 'egpr' on x86_64");
}

TEST(ObjectTest, RefusesAnotherArchitecture) {
  CodegenTarget target = baselineTarget();
  target.triple = "sparcv9-unknown-linux-gnu";
  target.cpu = target.requiredFeatures = "";
  EXPECT_EQ(emit(module(), gpt2Small(), EmitKind::Object, target).error,
            "this build of attnc has no entry for 'sparcv9-unknown-linux-gnu'");
}

} // namespace
