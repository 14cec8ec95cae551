//===- WritePartsTest.cpp - Tests of code generation on threads -----------===//

#include "WriteParts.h"

#include "MachineCode.h"

#include "attnc/Target/Target.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

using namespace attnc;

namespace {

/// Two functions of one part, which read constants that all parts share, one
/// with a jump table and one with a loop and constants of its own.
std::string functionsOf(const std::string &label) {
  std::string text = R"(
define internal i32 @"pick.LABEL"(i32 %i) nounwind "target-cpu"="LABEL" {
  switch i32 %i, label %z [i32 0, label %a
                           i32 1, label %b
                           i32 2, label %c
                           i32 3, label %d]
a:
  ret i32 7
b:
  %x = load i32, ptr @table
  ret i32 %x
c:
  %y = load i32, ptr @hidden
  ret i32 %y
d:
  %s = call i32 @"sum.LABEL"(ptr @table, i64 64)
  ret i32 %s
z:
  ret i32 0
}
define internal i32 @"sum.LABEL"(ptr %p, i64 %n) nounwind "target-cpu"="LABEL" {
  br label %loop
loop:
  %i = phi i64 [0, %0], [%j, %loop]
  %v = phi <16 x float> [zeroinitializer, %0], [%w, %loop]
  %q = getelementptr <16 x float>, ptr %p, i64 %i
  %l = load <16 x float>, ptr %q, align 4
  %m = fmul <16 x float> %l, splat (float 0.375)
  %w = fadd <16 x float> %v, %m
  %j = add i64 %i, 1
  %more = icmp ult i64 %j, %n
  br i1 %more, label %loop, label %end
end:
  %e = extractelement <16 x float> %w, i32 3
  %r = fptosi float %e to i32
  ret i32 %r
}
)";
  for (size_t at; (at = text.find("LABEL")) != std::string::npos;)
    text.replace(at, 5, label);
  return text;
}

/// A module as emitObject has it before it generates code.
std::string moduleText(const std::string &assembly = ".text\nsmall:\n  ret\n") {
  std::string lines;
  for (llvm::StringRef line : llvm::split(assembly, '\n'))
    lines += ("module asm \"" + line + "\"\n").str();
  return lines + functionsOf("x86-64-v4") + functionsOf("x86-64-v3") + R"(
@table = internal constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@hidden = private constant [2 x i32] [i32 5, i32 6]
@entries = internal constant [2 x ptr] [ptr @"pick.x86-64-v4",
                                        ptr @"pick.x86-64-v3"]
define ptr @f(i32 %i) nounwind {
  %p = getelementptr ptr, ptr @entries, i32 %i
  %q = load ptr, ptr %p
  ret ptr %q
}
)";
}

class WritePartsTest : public testing::Test {
protected:
  WritePartsTest() {
    for (const char *name : {"x86-64-v4", "x86-64-v3"}) {
      parts.emplace_back();
      parts.back().target =
          makeCodegenTarget(*lookupTarget(name), getHostPlatform());
    }
    target = parts.front().target;
    target.cpu = target.features = "";
    machine = llvm::cantFail(createMachine(target));
  }

  std::unique_ptr<llvm::Module> parse(const std::string &text) {
    llvm::SMDiagnostic diagnostic;
    auto module = llvm::parseAssemblyString(text, diagnostic, context);
    EXPECT_TRUE(module) << diagnostic.getMessage().str();
    module->setTargetTriple(machine->getTargetTriple());
    module->setDataLayout(machine->createDataLayout());
    module->setPICLevel(llvm::PICLevel::BigPIC);
    return module;
  }

  llvm::LLVMContext context;
  std::vector<Part> parts;
  CodegenTarget target;
  std::unique_ptr<llvm::TargetMachine> machine;
};

TEST_F(WritePartsTest, WritesTheBytesOfOneThread) {
  llvm::SmallVector<char, 0> one, several;
  llvm::raw_svector_ostream oneStream(one), severalStream(several);
  auto module = parse(moduleText());
  llvm::cantFail(writeMachineCode(
      *module, *machine, llvm::CodeGenFileType::ObjectFile, oneStream));
  module = parse(moduleText());
  ASSERT_TRUE(canWriteParts(*module, parts));
  llvm::cantFail(writeParts(*module, parts, target, *machine, severalStream));
  EXPECT_GT(one.size(), 1000u);
  EXPECT_TRUE(one == several);
}

TEST_F(WritePartsTest, DeclinesModulesOfOnePartOrWithoutAssembly) {
  auto module = parse(moduleText());
  EXPECT_FALSE(canWriteParts(*module, llvm::ArrayRef(parts).take_front()));
  module->setModuleInlineAsm("");
  EXPECT_FALSE(canWriteParts(*module, parts));
}

TEST_F(WritePartsTest, ReportsWhatTheAssemblerRefuses) {
  auto module = parse(moduleText("  no_such_instruction"));
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::Error error = writeParts(*module, parts, target, *machine, stream);
  std::string text = llvm::toString(std::move(error));
  EXPECT_NE(text.find("the assembler refuses the code: "), std::string::npos)
      << text;
  EXPECT_NE(text.find("no_such_instruction"), std::string::npos) << text;
}

} // namespace
