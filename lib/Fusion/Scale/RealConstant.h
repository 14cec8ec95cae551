//===- RealConstant.h - The number of a constant ----------------*- C++ -*-===//

#ifndef ATTNC_LIB_FUSION_SCALE_REALCONSTANT_H
#define ATTNC_LIB_FUSION_SCALE_REALCONSTANT_H

#include "mlir/IR/Matchers.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace attnc::fusion {

/// The value of a floating-point constant, or nothing.
inline std::optional<double> realConstant(mlir::Value value) {
  llvm::APFloat number(0.0);
  if (!matchPattern(value, mlir::m_ConstantFloat(&number)))
    return std::nullopt;
  bool losesInfo;
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

} // namespace attnc::fusion

#endif // ATTNC_LIB_FUSION_SCALE_REALCONSTANT_H
