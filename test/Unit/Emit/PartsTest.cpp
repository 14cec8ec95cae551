//===- PartsTest.cpp - Tests of objects for several processors ------------===//

#include "Jit.h"

#include "attnc/Target/Target.h"

#include "../Interface/Examples.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

using namespace attnc;

namespace {

int64_t zero(const attnc_call *) { return 0; }
void nothing(const attnc_call *, void *, int64_t) {}

/// The kernels of gpt2_small, whose grid doubles 16 floats of @data.
std::string kernels() {
  std::string text =
      kernelModule("gpt2_small", {{{zero, nothing}}, zero, zero});
  text.insert(text.find("  ret void"),
              "  %a = load <16 x float>, ptr @data, align 4\n"
              "  %b = fadd <16 x float> %a, %a\n"
              "  store <16 x float> %b, ptr %scratch, align 4\n");
  return text +
         "@data = internal constant [2 x <16 x float>] zeroinitializer\n";
}

CodegenTarget target(llvm::StringRef name) {
  return makeCodegenTarget(*lookupTarget(name), getHostPlatform());
}

std::string emit(std::vector<std::string> names, EmitKind kind) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::vector<Part> parts;
  for (const std::string &name : names) {
    Part &part = parts.emplace_back();
    part.target = target(name);
    part.kernels = llvm::parseAssemblyString(kernels(), diagnostic, context);
    EXPECT_TRUE(part.kernels) << diagnostic.getMessage().str();
  }
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::Error error = emitObject(std::move(parts), gpt2Small(), stream, kind);
  EXPECT_FALSE(static_cast<bool>(error)) << llvm::toString(std::move(error));
  return stream.str().str();
}

/// The assembly of one function.
std::string bodyOf(const std::string &assembly, const std::string &label) {
  size_t begin = assembly.find("\n" + label + ":");
  EXPECT_NE(begin, std::string::npos) << label;
  return assembly.substr(begin, assembly.find(".size", begin) - begin);
}

TEST(PartsTest, CompilesEachPartForItsProcessor) {
  std::string assembly = emit({"x86-64-v4", "x86-64-v3"}, EmitKind::Assembly);
  std::string v4 = bodyOf(assembly, "\"gpt2_small.grid0.body.x86-64-v4\"");
  std::string v3 = bodyOf(assembly, "\"gpt2_small.grid0.body.x86-64-v3\"");
  EXPECT_NE(v4.find("%zmm"), std::string::npos) << v4;
  EXPECT_EQ(v3.find("%zmm"), std::string::npos) << v3;
  EXPECT_NE(v3.find("%ymm"), std::string::npos) << v3;
}

TEST(PartsTest, NamesThePartsInTexts) {
  for (auto [kind, mark] : {std::pair(EmitKind::Assembly, "\n# part "),
                            std::pair(EmitKind::LlvmIr, "\n; part ")}) {
    std::string text = emit({"x86-64-v4", "x86-64-v3"}, kind);
    size_t v4 = text.find(std::string(mark) + "x86-64-v4\n");
    size_t v3 = text.find(std::string(mark) + "x86-64-v3\n");
    ASSERT_NE(v4, std::string::npos);
    ASSERT_NE(v3, std::string::npos);
    EXPECT_LT(v4, v3);
    EXPECT_EQ(emit({"x86-64-v3"}, kind).find(mark), std::string::npos);
  }
}

TEST(PartsTest, LeavesTheNamesOfAnOnlyPart) {
  std::string assembly = emit({"x86-64-v3"}, EmitKind::Assembly);
  EXPECT_NE(bodyOf(assembly, "gpt2_small.grid0.body").find("%ymm"),
            std::string::npos);
}

TEST(PartsTest, CompilesEntriesForAnyProcessor) {
  std::string ir = emit({"x86-64-v4", "x86-64-v3"}, EmitKind::LlvmIr);
  size_t entry = ir.find("define i32 @gpt2_small(");
  ASSERT_NE(entry, std::string::npos);
  std::string line = ir.substr(entry, ir.find('\n', entry) - entry);
  size_t group = line.rfind('#');
  ASSERT_NE(group, std::string::npos) << line;
  std::string attributes = "\nattributes " + line.substr(group, 3);
  size_t at = ir.find(attributes.substr(0, attributes.find(' ', 13)));
  ASSERT_NE(at, std::string::npos) << line;
  EXPECT_EQ(ir.substr(at, ir.find('}', at) - at).find("x86-64-v"),
            std::string::npos);
}

TEST(PartsTest, WritesTheSameBytesEveryTime) {
  EXPECT_EQ(emit({"x86-64-v4", "x86-64-v3"}, EmitKind::Object),
            emit({"x86-64-v4", "x86-64-v3"}, EmitKind::Object));
}

} // namespace
