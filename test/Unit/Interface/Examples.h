//===- Examples.h - Interfaces that the tests change ------------*- C++ -*-===//
//
// GPT-2 small as the front end describes it, and a diagnostic engine that
// keeps the text of the errors.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TEST_UNIT_INTERFACE_EXAMPLES_H
#define ATTNC_TEST_UNIT_INTERFACE_EXAMPLES_H

#include "attnc/Interface/Interface.h"

#include "mlir/IR/MLIRContext.h"

namespace attnc {

inline Interface gpt2Small() {
  Interface f;
  f.name = "gpt2_small";
  f.title = "12 heads of 64, f32, causal";
  f.spec = "attnc: 1\nheads: 12\nhead_dim: 64\nmask: causal\n";
  f.sizes = {{"batch", {}},
             {"heads", SizeExpr::constant(12)},
             {"head_dim", SizeExpr::constant(64)},
             {"query_len", {}},
             {"kv_len", {}}};
  auto tensor = [](const char *name, TensorRole role, const char *rows) {
    InterfaceTensor t;
    t.name = name;
    t.role = role;
    t.axes = {SizeExpr::size("batch"), SizeExpr::size("heads"),
              SizeExpr::size(rows), SizeExpr::size("head_dim")};
    return t;
  };
  f.tensors = {tensor("Q", TensorRole::Query, "query_len"),
               tensor("K", TensorRole::Key, "kv_len"),
               tensor("V", TensorRole::Value, "kv_len"),
               tensor("O", TensorRole::Output, "query_len")};
  f.tensors[3].mayBe = "Q";
  f.positions = {SizeExpr::size("query_len"), SizeExpr::size("kv_len")};
  return f;
}

/// gpt2Small with a table of documents and the log-sum-exp as extra output.
inline Interface withDocuments() {
  Interface f = gpt2Small();
  InterfaceTensor doc;
  doc.name = "doc";
  doc.dtype = DType::I32;
  doc.axes = {SizeExpr::size("batch"), SizeExpr::size("kv_len")};
  doc.nondecreasing = true;
  doc.range = {SizeExpr::constant(0), SizeExpr::constant(255)};
  f.tensors.insert(f.tensors.begin() + 3, doc);
  InterfaceTensor lse;
  lse.name = "lse";
  lse.role = TensorRole::Extra;
  lse.nullable = true;
  lse.axes = {SizeExpr::size("batch"), SizeExpr::size("heads"),
              SizeExpr::size("query_len")};
  f.tensors.push_back(lse);
  f.preconditions = {{SizeExpr::size("query_len"), SizeExpr::size("kv_len"),
                      "doc[b, q] needs query_len <= kv_len"}};
  return f;
}

/// Collects the text of every diagnostic while it lives.
class Errors {
public:
  explicit Errors(mlir::MLIRContext &context)
      : context(context),
        handler(&context, [this](mlir::Diagnostic &diagnostic) {
          text += diagnostic.str();
        }) {}

  mlir::InFlightDiagnostic emit() {
    return mlir::emitError(mlir::UnknownLoc::get(&context));
  }
  std::string text;

private:
  mlir::MLIRContext &context;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace attnc

#endif // ATTNC_TEST_UNIT_INTERFACE_EXAMPLES_H
