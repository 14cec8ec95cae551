//===- LinkTest.cpp - Objects in the hands of a C compiler ----------------===//
//
// Header and object as a user gets them: C99 and C++ programs include, link and
// run them, two objects go into one program, and into a shared library without
// text relocations.
//
//===----------------------------------------------------------------------===//

#include "attnc/Emit/Header.h"
#include "attnc/Emit/Object.h"

#include "../Interface/Examples.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

using namespace attnc;

namespace {

// O = Q for contiguous f32 tensors, one task per batch and head.
constexpr const char *kCopy = R"(
define internal i64 @NAME.scratch(ptr %call) { ret i64 0 }
define internal i64 @NAME.workspace(ptr %call) { ret i64 0 }
define internal i64 @NAME.grid0.tasks(ptr %call) {
  %sizes = load ptr, ptr %call
  %batch = load i64, ptr %sizes
  %at = getelementptr i64, ptr %sizes, i64 1
  %heads = load i64, ptr %at
  %tasks = mul i64 %batch, %heads
  ret i64 %tasks
}
define internal void @NAME.grid0.body(ptr %call, ptr %scratch, i64 %task) {
  %sizes = load ptr, ptr %call
  %at.rows = getelementptr i64, ptr %sizes, i64 3
  %rows = load i64, ptr %at.rows
  %count = mul i64 %rows, 64
  %first = mul i64 %task, %count
  %at.data = getelementptr ptr, ptr %call, i64 1
  %data = load ptr, ptr %at.data
  %q = load ptr, ptr %data
  %at.o = getelementptr ptr, ptr %data, i64 3
  %o = load ptr, ptr %at.o
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %e = add i64 %first, %i
  %from = getelementptr float, ptr %q, i64 %e
  %to = getelementptr float, ptr %o, i64 %e
  %x = load float, ptr %from
  store float %x, ptr %to
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}
)";

constexpr const char *kMain = R"(
#include "gpt2_small.h"
#include "second.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void report(void *user, attnc_status status, const char *text) {
  (void)user;
  printf("error %d: %s\n", (int)status, text);
}
int main(void) {
  static float data[4][2 * 12 * 5 * 64];
  int64_t shape[4] = {2, 12, 5, 64};
  attnc_tensor t[4];
  attnc_runtime runtime;
  memset(t, 0, sizeof t);
  memset(&runtime, 0, sizeof runtime);
  runtime.size = sizeof runtime;
  runtime.report = report;
  for (int i = 0; i < 4; ++i) {
    t[i].data = data[i];
    t[i].device.type = 1;
    t[i].ndim = 4;
    t[i].dtype.code = 2;
    t[i].dtype.bits = 32;
    t[i].dtype.lanes = 1;
    t[i].shape = shape;
    for (int j = 0; j < 2 * 12 * 5 * 64; ++j)
      data[i][j] = (float)(i + j);
  }
  if (gpt2_small(&t[0], &t[1], &t[2], &t[3], &runtime) != ATTNC_OK)
    return 1;
  if (memcmp(data[0], data[3], sizeof data[0]) != 0)
    return 2;
  shape[3] = 80;
  if (second(&t[0], &t[1], &t[2], &t[3], &runtime) != ATTNC_BAD_SHAPE)
    return 3;
  gpt2_small_raw_args args;
  memset(&args, 0, sizeof args);
  args.size = sizeof args;
  if (gpt2_small_raw(&args, 0) != ATTNC_OK) /* no batch, nothing to do */
    return 4;
  if (gpt2_small_workspace(1, 1, 1, 4) != 0)
    return 5;
  return strstr(second_describe(), "\"name\":\"second\"") ? 0 : 6;
}
)";

class LinkTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("attnc-link", folder));
    for (const char *name : {"gpt2_small", "second"}) {
      Interface f = gpt2Small();
      f.name = name;
      write(f.name + ".h", emitHeader(name, f));
      emit(f);
    }
    write("main.c", kMain);
    write("main.cpp", kMain);
  }
  ~LinkTest() override { llvm::sys::fs::remove_directories(folder); }

  std::string path(const std::string &name) {
    return (folder + "/" + name).str();
  }
  void write(const std::string &name, const std::string &text) {
    std::error_code error;
    llvm::raw_fd_ostream(path(name), error) << text;
    ASSERT_FALSE(error);
  }
  void emit(const Interface &f) {
    std::string text = kCopy;
    for (size_t at; (at = text.find("NAME")) != std::string::npos;)
      text.replace(at, 4, f.name);
    llvm::LLVMContext context;
    llvm::SMDiagnostic diagnostic;
    std::error_code code;
    llvm::raw_fd_ostream out(path(f.name + ".o"), code);
    CodegenTarget target = {.triple = "x86_64-unknown-linux-gnu",
                            .cpu = "x86-64",
                            .features = "",
                            .requiredFeatures = "sse2",
                            .label = "x86-64"};
    std::vector<Part> parts(1);
    parts[0].target = target;
    parts[0].kernels = llvm::parseAssemblyString(text, diagnostic, context);
    llvm::Error error = emitObject(std::move(parts), f, out);
    ASSERT_FALSE(static_cast<bool>(error)) << llvm::toString(std::move(error));
  }
  int run(std::vector<std::string> command) {
    std::vector<llvm::StringRef> args(command.begin(), command.end());
    return llvm::sys::ExecuteAndWait(command[0], args);
  }
  /// Compiles and links `source` with both objects; runs it.
  int build(const char *compiler, const char *standard,
            const std::string &source) {
    if (run({compiler, standard, "-Wall", "-Wextra", "-Werror", path(source),
             path("gpt2_small.o"), path("second.o"), "-o", path("a.out")}))
      return -1;
    return run({path("a.out")});
  }

  llvm::SmallString<64> folder;
};

TEST_F(LinkTest, ACProgramRunsTwoObjects) {
  EXPECT_EQ(build(ATTNC_TEST_CC, "-std=c99", "main.c"), 0);
}

TEST_F(LinkTest, ACppProgramRunsTwoObjects) {
  EXPECT_EQ(build(ATTNC_TEST_CXX, "-std=c++11", "main.cpp"), 0);
}

TEST_F(LinkTest, ASharedLibraryNeedsNoTextRelocation) {
  EXPECT_EQ(run({ATTNC_TEST_CC, "-shared", "-Wl,-z,text,-z,defs",
                 path("gpt2_small.o"), "-o", path("gpt2_small.so")}),
            0);
}

} // namespace
