//===- RangedTanh.h - A polynomial of tanh for a range ----------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_CPU_STAGES_RANGEDTANH_H
#define ATTNC_LIB_CODEGEN_CPU_STAGES_RANGEDTANH_H

#include <array>
#include <cmath>

namespace attnc::cpu {

/// `factor` tanh(`scale` x) = x P(x^2 - limit) for x^2 <= limit.
struct RangedTanh {
  /// tanh(y) = y P(y^2 - kMost^2) for |y| <= kMost, with the least maximum of
  /// the absolute errors among odd polynomials of degree 7; and that maximum.
  static constexpr double kMost = 0.95, kError = 2.25e-5;
  static constexpr std::array<double, 4> kCoefficients = {
      0.7786954570123577, -0.18158512521839748, 0.04643816531125408,
      -0.02636398399017886};

  RangedTanh(double scale, double factor) : limit(kMost / scale) {
    limit *= limit;
    double power = factor * scale;
    for (size_t i = 0; i < coefficients.size(); ++i) {
      coefficients[i] = kCoefficients[i] * power;
      power *= scale * scale;
    }
  }
  /// Whether f32 has all its constants, and products with them.
  bool fits() const {
    auto isNormal = [](double value) {
      return std::abs(value) > 0x1p-100 && std::abs(value) < 0x1p100;
    };
    for (double value : coefficients)
      if (!isNormal(value))
        return false;
    return isNormal(limit);
  }

  double limit;
  std::array<double, 4> coefficients;
};

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_STAGES_RANGEDTANH_H
