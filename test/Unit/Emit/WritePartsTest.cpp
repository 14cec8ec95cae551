//===- WritePartsTest.cpp - Tests of code generation on threads -----------===//

#include "WriteParts.h"

#include "MachineCode.h"

#include "attnc/Target/Platform.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

#include <array>
#include <map>

using namespace attnc;

namespace {

void replaceAll(std::string &text, llvm::StringRef word,
                const std::string &by) {
  for (size_t at; (at = text.find(word)) != std::string::npos;)
    text.replace(at, word.size(), by);
}

/// Two functions of one part, which read constants that all parts share, one
/// with a jump table and one with a loop and constants of its own.
std::string functionsOf(const CodegenTarget &target) {
  std::string text = R"(
define internal i32 @"pick.LABEL"(i32 %i) nounwind ATTRIBUTES {
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
define internal i32 @"sum.LABEL"(ptr %p, i64 %n) nounwind ATTRIBUTES {
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
  replaceAll(text, "LABEL", target.label);
  replaceAll(text, "ATTRIBUTES",
             "\"target-cpu\"=\"" + target.cpu + "\" \"target-features\"=\"" +
                 target.features + "\"");
  return text;
}

/// The sections of an object but those of symbols.
std::map<std::string, std::string> contentsOf(llvm::StringRef bytes) {
  auto file = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(bytes, "object")));
  std::map<std::string, std::string> contents;
  for (const llvm::object::SectionRef &section : file->sections()) {
    llvm::StringRef name = llvm::cantFail(section.getName());
    if (name != ".symtab" && name != ".strtab")
      contents[name.str()] = llvm::cantFail(section.getContents()).str();
  }
  EXPECT_EQ(contents.count(".text"), 1u);
  return contents;
}

/// A platform and two of its levels.
using Levels = std::array<const char *, 3>;

class WritePartsTest : public testing::TestWithParam<Levels> {
protected:
  WritePartsTest() {
    const Platform &platform = *findPlatform(GetParam()[0]);
    for (const char *name : {GetParam()[1], GetParam()[2]}) {
      parts.emplace_back();
      parts.back().target =
          makeCodegenTarget(*platform.findLevel(name), platform);
    }
    target = parts.front().target;
    target.cpu = "";
    target.features = target.baselineFeatures;
    machine = llvm::cantFail(createMachine(target));
  }

  /// A module as emitObject has it before it generates code.
  std::unique_ptr<llvm::Module> parse(const char *instruction = "ret") {
    std::string text = std::string("module asm \".text\"\n"
                                   "module asm \"small:\"\n"
                                   "module asm \"") +
                       instruction + "\"\n";
    text += functionsOf(parts[0].target) + functionsOf(parts[1].target) + R"(
@table = internal constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@hidden = private constant [2 x i32] [i32 5, i32 6]
@entries = internal constant [2 x ptr] [ptr @"pick.FIRST", ptr @"pick.SECOND"]
define ptr @f(i32 %i) nounwind {
  %p = getelementptr ptr, ptr @entries, i32 %i
  %q = load ptr, ptr %p
  ret ptr %q
}
)";
    replaceAll(text, "FIRST", parts[0].target.label);
    replaceAll(text, "SECOND", parts[1].target.label);
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

INSTANTIATE_TEST_SUITE_P(
    Platforms, WritePartsTest,
    testing::Values(
        Levels{"x86_64-unknown-linux-gnu", "x86-64-v4", "x86-64-v3"},
        Levels{"aarch64-unknown-linux-gnu", "armv9-a", "armv8-a"},
        Levels{"riscv64-unknown-linux-gnu", "rv64gcv_zvl256b", "rv64gcv"}),
    [](const auto &info) {
      return llvm::StringRef(info.param[0]).split('-').first.str();
    });

TEST_P(WritePartsTest, WritesTheBytesOfOneThread) {
  llvm::SmallVector<char, 0> one, several;
  llvm::raw_svector_ostream oneStream(one), severalStream(several);
  auto module = parse();
  llvm::cantFail(writeMachineCode(
      *module, *machine, llvm::CodeGenFileType::ObjectFile, oneStream));
  module = parse();
  ASSERT_TRUE(canWriteParts(*module, parts));
  llvm::cantFail(writeParts(*module, parts, target, *machine, severalStream));
  EXPECT_GT(one.size(), 1000u);
  EXPECT_EQ(contentsOf(oneStream.str()), contentsOf(severalStream.str()));
  // RISC-V has symbols of labels that are numbered within a text.
  if (!machine->getTargetTriple().isRISCV())
    EXPECT_TRUE(one == several);
}

TEST_P(WritePartsTest, DeclinesModulesOfOnePartOrWithoutAssembly) {
  auto module = parse();
  EXPECT_FALSE(canWriteParts(*module, llvm::ArrayRef(parts).take_front()));
  module->setModuleInlineAsm("");
  EXPECT_FALSE(canWriteParts(*module, parts));
}

TEST_P(WritePartsTest, ReportsWhatTheAssemblerRefuses) {
  auto module = parse("no_such_instruction");
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::Error error = writeParts(*module, parts, target, *machine, stream);
  std::string text = llvm::toString(std::move(error));
  EXPECT_NE(text.find("the assembler refuses the code: "), std::string::npos)
      << text;
  EXPECT_NE(text.find("no_such_instruction"), std::string::npos) << text;
}

TEST_P(WritePartsTest, HidesOtherNamesOfFunctions) {
  auto module = parse();
  auto *pick = module->getFunction("pick." + parts[0].target.label);
  auto *alias = llvm::GlobalAlias::create(llvm::GlobalValue::InternalLinkage,
                                          "other", pick);
  new llvm::GlobalVariable(*module, alias->getType(), /*isConstant=*/true,
                           llvm::GlobalValue::ExternalLinkage, alias, "user");
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::cantFail(writeParts(*module, parts, target, *machine, stream));
  auto file = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(stream.str(), "object")));
  bool hasUser = false;
  for (const llvm::object::SymbolRef &symbol : file->symbols()) {
    EXPECT_NE(llvm::cantFail(symbol.getName()), "other");
    hasUser |= llvm::cantFail(symbol.getName()) == "user";
  }
  EXPECT_TRUE(hasUser);
}

} // namespace
