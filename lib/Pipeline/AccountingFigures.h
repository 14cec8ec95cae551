//===- AccountingFigures.h - The figures of an account ----------*- C++ -*-===//
//
// What AccountingJson.cpp and AccountingLines.cpp put into words.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_PIPELINE_ACCOUNTINGFIGURES_H
#define ATTNC_LIB_PIPELINE_ACCOUNTINGFIGURES_H

#include "Savings.h"

#include "attnc/Analysis/Cost/Accounting.h"
#include "attnc/Pipeline/Stages.h"

#include "llvm/ADT/StringMap.h"

#include <map>

namespace attnc {

using NamedSizes = llvm::StringMap<int64_t>;

struct ProductFigures {
  std::string labels, formula;
  double dense = 0;
  std::optional<double> needed;
};

/// The products of a function at one regime.
struct ProductList {
  std::vector<ProductFigures> list;

  double dense() const {
    double sum = 0;
    for (const ProductFigures &product : list)
      sum += product.dense;
    return sum;
  }
  std::optional<double> needed() const {
    double sum = 0;
    for (const ProductFigures &product : list) {
      if (!product.needed)
        return std::nullopt;
      sum += *product.needed;
    }
    return sum;
  }
};

/// The figures of a function at one regime.
struct Figures {
  std::vector<std::pair<std::string, int64_t>> runtimeSizes;
  NamedSizes sizes;
  /// The body that a call of these sizes runs, and for which sizes it does;
  /// empty where there is one for all.
  std::string body, when;
  ProductList taken, written;
  Savings savings;
  double weightBytes = 0, inputBytes = 0, outputBytes = 0;

  double bytes() const { return weightBytes + inputBytes + outputBytes; }
  /// FLOPs for each byte that has to be moved.
  double intensity() const {
    return bytes() > 0 ? taken.needed().value_or(taken.dense()) / bytes() : 0;
  }
};

/// What a function makes of weights once, for another one.
struct PackedFigures {
  std::string function;
  std::vector<WeightAccount> tensors;
  double flops = 0, bytes = 0;
};

/// All about one function.
struct Accounted {
  const Interface *interface = nullptr;
  Account account;
  bool isWanted = false;
  std::optional<PackedFigures> packed;
  /// Of each body, as its products are ordered.
  std::map<std::string, Account> bodies;
  std::vector<Figures> at; // one per regime

  double valueOf(const SizeExpr &expr) const;
  /// Elements of weights that have (matrices) or lack two axes.
  double parameters(bool isMatrix) const;
  double parameterBytes() const;
  std::optional<double> size(llvm::StringRef name) const {
    auto found = at.front().sizes.find(name);
    if (found == at.front().sizes.end())
      return std::nullopt;
    return double(found->second);
  }
};

/// The accounts refer to interfaces and to masks.
struct AllAccounted {
  mlir::OwningOpRef<mlir::ModuleOp> ordered;
  std::vector<Interface> interfaces;
  std::vector<Accounted> functions;
};

/// `isWanted` says which functions get figures of their products and bytes; all
/// get what passes saved.
mlir::FailureOr<AllAccounted>
accountAll(mlir::ModuleOp graph, llvm::ArrayRef<Interface> functions,
           const PipelineOptions &options, const NamedSizes &given,
           llvm::function_ref<bool(const Account &)> isWanted);

} // namespace attnc

#endif // ATTNC_LIB_PIPELINE_ACCOUNTINGFIGURES_H
