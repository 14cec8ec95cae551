//===- EmitHeader.cpp - The C header of an object -------------------------===//
//
// The header is written for a reader: shapes with the numbers that are fixed,
// tensors that agree in one phrase, then what a call must respect. Everything
// comes from the Interface. Tests: test/Unit/Emit/HeaderTest.cpp,
// test/Emit/two-functions.test
//
//===----------------------------------------------------------------------===//

#include "attnc/Emit/Header.h"

#include "attnc/Support/Version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace attnc;
using llvm::StringRef;
using llvm::Twine;

static const char kSharedHeader[] = {
#include "SharedHeader.inc"
};

StringRef attnc::sharedHeaderText() {
  StringRef text(kSharedHeader, sizeof(kSharedHeader));
  size_t begin = text.find("#ifndef ATTNC_ABI");
  return text.slice(begin, text.find("/* clang-format on */"));
}

/// "[batch, 12, query_len, 64]": sizes that are fixed as numbers.
static std::string shapeText(const Interface &f, const InterfaceTensor &t) {
  std::vector<std::string> axes;
  for (const SizeExpr &axis : t.axes) {
    std::optional<int64_t> fixed = f.resolve(axis).constantValue();
    axes.push_back(fixed ? std::to_string(*fixed) : axis.str());
  }
  return "[" + llvm::join(axes, ", ") + "]";
}

/// An end of a range: a number if it is fixed.
static std::string boundText(const Interface &f, const SizeExpr &bound) {
  std::optional<int64_t> fixed = f.resolve(bound).constantValue();
  return fixed ? std::to_string(*fixed) : bound.str();
}

/// What is said of a tensor behind its shape: type and promises.
static std::string kindText(const Interface &f, const InterfaceTensor &t) {
  std::string text = dtypeName(t.dtype).str();
  if (t.nondecreasing)
    text += ", nondecreasing";
  if (t.range)
    text += ", in " + boundText(f, t.range->first) + ".." +
            boundText(f, t.range->second);
  if (t.nullable)
    text += ", may be NULL";
  if (t.inout)
    text += ", updated in place";
  return text;
}

static std::string list(llvm::ArrayRef<std::string> names) {
  if (names.size() < 2)
    return names.empty() ? "" : names[0];
  return llvm::join(names.drop_back(), ", ") + " and " + names.back();
}

/// "Q [..], K and V [..], O [..]: f32; doc [..]: i32, nondecreasing".
static std::string tensorsText(const Interface &f) {
  std::string text, kind;
  for (size_t begin = 0, end; begin < f.tensors.size(); begin = end) {
    std::string shape = shapeText(f, f.tensors[begin]);
    std::string here = kindText(f, f.tensors[begin]);
    std::vector<std::string> names;
    for (end = begin;
         end < f.tensors.size() && shapeText(f, f.tensors[end]) == shape &&
         kindText(f, f.tensors[end]) == here;
         ++end)
      names.push_back(f.tensors[end].name);
    if (begin > 0)
      text += here == kind ? ", " : ": " + kind + ";\n   ";
    text += list(names) + " " + shape;
    kind = here;
  }
  return text + ": " + kind;
}

/// "O may be Q itself; otherwise it must not overlap any other tensor."
static std::string overlapText(const Interface &f) {
  std::vector<std::string> outputs;
  std::string maybe;
  for (const InterfaceTensor &t : f.tensors) {
    if (!t.isWritten())
      continue;
    outputs.push_back(t.name);
    if (!t.mayBe.empty())
      maybe += (maybe.empty() ? "" : ", ") + t.name + " may be " + t.mayBe +
               " itself";
  }
  bool isOne = outputs.size() == 1;
  std::string rule = " must not overlap any other tensor.";
  if (maybe.empty())
    return list(outputs) + rule;
  return maybe + ";" +
         (isOne ? " otherwise it" : " otherwise " + list(outputs)) + rule;
}

/// "Ragged: sequence b is rows start[b] .. start[b + 1] - 1 of Q and O."
static std::string layoutText(const Interface &f) {
  std::string text;
  std::vector<const InterfaceTensor *> left;
  for (const InterfaceTensor &t : f.tensors)
    if (t.rows != RowLayout::Dense)
      left.push_back(&t);
  while (!left.empty()) {
    const InterfaceTensor &first = *left.front();
    std::vector<std::string> names;
    llvm::erase_if(left, [&](const InterfaceTensor *t) {
      bool isSame = t->rows == first.rows && t->rowTable == first.rowTable;
      if (isSame)
        names.push_back(t->name);
      return isSame;
    });
    const std::string &table = first.rowTable;
    if (first.rows == RowLayout::Ragged) {
      text += "\n   Ragged: sequence b is rows " + table + "[b] .. " + table +
              "[b + 1] - 1 of " + list(names) + ".";
      continue;
    }
    std::string n = boundText(f, first.axes[2]);
    text += "\n   Paged: key k of sequence b is row k % " + n + " of page " +
            table + "[b, k / " + n + "] of " + list(names) + ".";
  }
  return text;
}

/// "f_pack_weights computes A_B: call it first, ..."
static std::string packingText(const Interface &f) {
  std::vector<std::string> names;
  for (const InterfaceTensor &t : f.tensors)
    if (!t.packedBy.empty())
      names.push_back(t.name);
  if (names.empty())
    return "";
  return "\n   " + f.packing().str() + " computes " + list(names) +
         ": call it before this function, and again whenever its weights\n   "
         "change; until then, results are those of the old weights.";
}

static std::string functionComment(const Interface &f) {
  std::string text = "/* " + tensorsText(f) +
                     ", any strides (NULL: contiguous).\n   " + overlapText(f) +
                     layoutText(f) + (layoutText(f).empty() ? " " : "\n   ") +
                     "Reentrant. The result does not depend on the number "
                     "of threads." +
                     packingText(f);
  for (const InterfacePrecondition &condition : f.preconditions)
    text += "\n   Checked precondition: " + condition.sentence + ".";
  return text + " */\n";
}

static std::string prototype(const Interface &f) {
  std::string text = "attnc_status " + f.name + "(";
  for (const InterfaceTensor &t : f.tensors)
    text += "const attnc_tensor *" + t.name + ", ";
  return text + "const attnc_runtime *runtime);\n";
}

/// "  const float *Q, *K, *V; float *O;": one declaration per run of a type.
static std::string pointerFields(const Interface &f) {
  std::string text, last;
  for (const InterfaceTensor &t : f.tensors) {
    std::string type =
        (t.isWritten() ? "" : "const ") + dtypeInfo(t.dtype).cType.str() + " ";
    if (type == last)
      text += ", *" + t.name;
    else
      text += (last.empty() ? "" : "; ") + type + "*" + t.name;
    last = type;
  }
  return text + ";";
}

static std::string rawArgs(const Interface &f) {
  std::string type = f.name + "_raw_args";
  std::vector<std::string> sizes = f.runtimeSizes(), strides;
  for (const InterfaceTensor &t : f.tensors)
    if (!t.axes.empty())
      strides.push_back(t.name + "_strides[" + std::to_string(t.axes.size()) +
                        "]");
  std::vector<std::string> outputs;
  for (const InterfaceTensor &t : f.tensors)
    if (t.isWritten())
      outputs.push_back(t.name);
  std::string text = "typedef struct " + type +
                     " { /* strides in elements, in the order of the shapes "
                     "above; may be negative or 0 (not 0 for " +
                     list(outputs) + ") */\n  uint32_t size;";
  if (!sizes.empty())
    text += " int64_t " + llvm::join(sizes, ", ") + ";";
  text += " /* size = sizeof(" + type + ") */\n  " + pointerFields(f) + "\n";
  if (!strides.empty())
    text += "  int64_t " + llvm::join(strides, ", ") + ";\n";
  return text + "} " + type + ";\nattnc_status " + f.name + "_raw(const " +
         type + " *args, const attnc_runtime *runtime);\n";
}

static std::string queries(const Interface &f) {
  std::string workspace = "size_t " + f.name + "_workspace(";
  for (const std::string &size : f.runtimeSizes())
    workspace += "int64_t " + size + ", ";
  workspace += "int32_t threads);";
  std::string describe = "const char *" + f.name + "_describe(void);";
  size_t width = std::max(workspace.size(), describe.size()) + 1;
  workspace.resize(width, ' ');
  describe.resize(width, ' ');
  return workspace + "/* bytes that a call of these sizes needs */\n" +
         describe + "/* JSON: spec, version, targets, kernels */\n";
}

std::string attnc::emitHeader(StringRef stem,
                              llvm::ArrayRef<Interface> functions,
                              llvm::ArrayRef<std::string> targets,
                              llvm::ArrayRef<std::string> libraries) {
  std::string guard;
  for (char c : stem)
    guard += llvm::isAlnum(c) ? llvm::toUpper(c) : '_';
  guard = (llvm::isDigit(guard.empty() ? '0' : guard[0]) ? "ATTNC_" : "") +
          guard + "_H";
  std::vector<std::string> titles;
  for (const Interface &f : functions)
    titles.push_back(f.name + ": " + f.title);
  std::string text =
      "/* " + llvm::join(titles, ";\n   ") + ". Generated by attnc " +
      getVersion().str() + (targets.empty() ? "" : " for ") +
      llvm::join(targets, ", ") + ". C99, depends on libc" +
      (libraries.empty()
           ? " only"
           : ", and at run time on " + llvm::join(libraries, ", ")) +
      ". */\n#ifndef " + guard + "\n#define " + guard +
      "\n#include <stddef.h>\n#include <stdint.h>\n"
      "#ifdef __cplusplus\nextern \"C\" {\n#endif\n" +
      sharedHeaderText().str();
  for (const Interface &f : functions)
    text += functionComment(f) + prototype(f) + rawArgs(f) + queries(f);
  return text + "#ifdef __cplusplus\n}\n#endif\n#endif\n";
}
