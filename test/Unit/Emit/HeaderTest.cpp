//===- HeaderTest.cpp - Tests of the C header -----------------------------===//

#include "attnc/Emit/Header.h"
#include "attnc/Emit/Object.h"
#include "attnc/Support/Version.h"

#include "../Interface/Examples.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace attnc;

namespace {

std::string read(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  EXPECT_TRUE(buffer) << path;
  return buffer ? (*buffer)->getBuffer().str() : "";
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

/// A folder of its own for each test.
class HeaderFiles {
public:
  HeaderFiles() {
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("attnc-header", folder));
  }
  ~HeaderFiles() { llvm::sys::fs::remove_directories(folder); }
  void write(const std::string &name, const std::string &text) {
    std::error_code error;
    llvm::raw_fd_ostream((folder + "/" + name).str(), error) << text;
    EXPECT_FALSE(error);
  }
  /// Whether `compiler` accepts the source without a warning.
  bool compiles(llvm::StringRef compiler, llvm::StringRef standard,
                const std::string &name, const std::string &source) {
    write(name, source);
    std::string path = (folder + "/" + name).str();
    std::vector<llvm::StringRef> args = {
        compiler,  standard, "-Wall",      "-Wextra",  "-pedantic",
        "-Werror", "-I",     folder.str(), "-I",       includes,
        "-c",      path,     "-o",         "/dev/null"};
    return llvm::sys::ExecuteAndWait(compiler, args) == 0;
  }

private:
  llvm::SmallString<64> folder;
  std::string includes = ATTNC_TEST_RUNTIME "/include";
};

// As much of dlpack.h as the header looks at.
constexpr const char *kDlpack = R"(
#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_
#include <stdint.h>
typedef enum { kDLCPU = 1 } DLDeviceType;
typedef struct { DLDeviceType device_type; int32_t device_id; } DLDevice;
typedef struct { uint8_t code, bits; uint16_t lanes; } DLDataType;
typedef struct DLTensor {
  void *data; DLDevice device; int32_t ndim; DLDataType dtype;
  int64_t *shape; int64_t *strides; uint64_t byte_offset; } DLTensor;
#endif
)";

TEST(HeaderTest, IsThePromisedTextForGpt2Small) {
  std::string expected = read(ATTNC_TEST_INPUTS "/gpt2_small.h.expected");
  std::string version = getVersion().str();
  size_t at = expected.find("VERSION");
  ASSERT_NE(at, std::string::npos);
  expected.replace(at, strlen("VERSION"), version);
  EXPECT_EQ(emitHeader("gpt2_small", gpt2Small()), expected);
}

TEST(HeaderTest, SharesOneTextWithTheRuntime) {
  std::string shared = sharedHeaderText().str();
  EXPECT_TRUE(contains(read(ATTNC_TEST_RUNTIME "/include/attnc.h"), shared));
  EXPECT_TRUE(contains(emitHeader("a", withDocuments()), shared));
}

TEST(HeaderTest, StatesTypesPromisesAndPreconditions) {
  Interface f = withDocuments();
  for (unsigned t : {0, 1, 2, 4})
    f.tensors[t].dtype = DType::BF16;
  std::string text = emitHeader("f", f);
  EXPECT_TRUE(contains(
      text, "/* Q [batch, 12, query_len, 64], K and V [batch, 12, kv_len, "
            "64]: bf16;\n   doc [batch, kv_len]: i32, nondecreasing, in "
            "0..255;\n   O [batch, 12, query_len, 64]: bf16;\n   lse [batch, "
            "12, query_len]: f32, may be NULL, any strides (NULL: "
            "contiguous).\n"))
      << text;
  EXPECT_TRUE(contains(text, "   O may be Q itself; otherwise O and lse must "
                             "not overlap any other tensor. Reentrant."))
      << text;
  EXPECT_TRUE(contains(text, "\n   Checked precondition: doc[b, q] needs "
                             "query_len <= kv_len. */\n"))
      << text;
  EXPECT_TRUE(contains(text, "  const uint16_t *Q, *K, *V; const int32_t *doc; "
                             "uint16_t *O; float *lse;\n"))
      << text;
}

TEST(HeaderTest, LetsACallChangeAnInOutInput) {
  Interface f = withDocuments();
  InterfaceTensor cache = f.tensors[1];
  cache.name = "cache";
  cache.role = TensorRole::Input;
  cache.inout = true;
  f.tensors.insert(f.tensors.begin() + 4, cache);
  std::string text = emitHeader("f", f);
  EXPECT_TRUE(contains(text, "   cache [batch, 12, kv_len, 64]: f32, updated "
                             "in place;\n"))
      << text;
  EXPECT_TRUE(contains(text, "   O may be Q itself; otherwise cache, O and lse "
                             "must not overlap any other tensor."))
      << text;
  EXPECT_TRUE(contains(text, "const int32_t *doc; float *cache, *O, *lse;\n"))
      << text;
  EXPECT_TRUE(contains(text, "(not 0 for cache, O and lse)")) << text;
}

TEST(HeaderTest, ShowsFixedAndDerivedSizes) {
  Interface f = gpt2Small();
  f.sizes[0].value = SizeExpr::constant(1);
  f.sizes[3].value = SizeExpr::size("kv_len");
  f.sizes[4].value = SizeExpr::constant(128);
  std::string text = emitHeader("f", f);
  EXPECT_TRUE(contains(text, "/* Q, K, V and O [1, 12, 128, 64]: f32")) << text;
  EXPECT_TRUE(contains(text, "uint32_t size; /* size =")) << text;
  EXPECT_TRUE(contains(text, "_workspace(int32_t threads);")) << text;
}

TEST(HeaderTest, MakesAGuardOfAnyFileName) {
  EXPECT_TRUE(contains(emitHeader("2-a.b", gpt2Small()),
                       "#ifndef ATTNC_2_A_B_H\n#define ATTNC_2_A_B_H\n"));
}

TEST(HeaderTest, CompilesAsC99AndAsCpp) {
  HeaderFiles files;
  Interface second = withDocuments();
  second.name = "packed";
  InterfaceTensor scalar;
  scalar.name = "temperature";
  second.tensors.insert(second.tensors.begin() + 3, scalar);
  files.write("two.h", emitHeader("two", {gpt2Small(), second}));
  files.write("one.h", emitHeader("one", gpt2Small()));
  files.write("dlpack.h", kDlpack);
  const char *use = "attnc_status g(const attnc_tensor *t);\n"
                    "attnc_status g(const attnc_tensor *t) {\n"
                    "  packed_raw_args args = {0};\n"
                    "  args.size = sizeof args;\n"
                    "  return packed(t, t, t, t, t, t, t, 0) | "
                    "packed_raw(&args, 0);\n}\n";
  const char *useCpp = "attnc_status g(const attnc_tensor *t);\n"
                       "attnc_status g(const attnc_tensor *t) {\n"
                       "  return gpt2_small(t, t, t, t, nullptr);\n}\n";
  for (std::string includes : {"#include \"two.h\"\n#include \"attnc.h\"\n",
                               "#include \"dlpack.h\"\n#include \"two.h\"\n",
                               "#include \"two.h\"\n#include \"dlpack.h\"\n"}) {
    EXPECT_TRUE(
        files.compiles(ATTNC_TEST_CC, "-std=c99", "use.c", includes + use));
    EXPECT_TRUE(files.compiles(ATTNC_TEST_CXX, "-std=c++11", "use.cpp",
                               includes + useCpp));
  }
}

TEST(HeaderTest, HasTheLayoutOfDlpack) {
  HeaderFiles files;
  files.write("f.h", emitHeader("f", gpt2Small()));
  std::string dlpack = kDlpack;
  size_t guard = dlpack.find("#define DLPACK_DLPACK_H_\n");
  dlpack.erase(guard, strlen("#define DLPACK_DLPACK_H_\n"));
  EXPECT_TRUE(files.compiles(
      ATTNC_TEST_CXX, "-std=c++11", "layout.cpp",
      dlpack + "#include \"f.h\"\n#define SAME(a, b) static_assert( \\\n"
               "  offsetof(attnc_tensor, a) == offsetof(DLTensor, b), \"\")\n"
               "static_assert(sizeof(attnc_tensor) == sizeof(DLTensor), \"\");"
               "\nSAME(data, data); SAME(device, device); SAME(ndim, ndim);\n"
               "SAME(dtype, dtype); SAME(shape, shape);\n"
               "SAME(strides, strides); SAME(byte_offset, byte_offset);\n"));
}

TEST(HeaderTest, NamesTheProcessorsOfTheObject) {
  EXPECT_TRUE(
      contains(emitHeader("a", gpt2Small(), {"x86-64-v4", "x86-64-v3"}),
               getVersion().str() + " for x86-64-v4, x86-64-v3. C99, depends"));
}

TEST(DescribeTest, ListsTheTargetsOfAllParts) {
  EXPECT_TRUE(contains(describeJson(gpt2Small(), {"x86-64-v4", "x86-64-v3"}),
                       "\"targets\":[\"x86-64-v4\",\"x86-64-v3\"],"));
}

TEST(DescribeTest, IsJsonInAFixedOrder) {
  Interface f = gpt2Small();
  f.kernels = {"online, 64 queries x 256 keys"};
  EXPECT_EQ(describeJson(f, {"x86-64-v4"}),
            "{\"name\":\"gpt2_small\",\"title\":\"12 heads of 64, f32, "
            "causal\",\"compiler\":\"attnc " +
                getVersion().str() +
                "\",\"abi\":1,\"targets\":[\"x86-64-v4\"],\"kernels\":["
                "\"online, 64 queries x 256 keys\"],\"spec\":\"attnc: "
                "1\\nheads: 12\\nhead_dim: 64\\nmask: causal\\n\"}");
}

TEST(DescribeTest, NamesInputsThatACallChanges) {
  Interface f = gpt2Small();
  f.tensors[1].role = TensorRole::Input;
  f.tensors[1].inout = true;
  EXPECT_TRUE(contains(describeJson(f, {}),
                       "\"kernels\":[],\"inout\":[\"K\"],\"spec\":"));
}

} // namespace
