//===- Formulas.h - Regions of the lowering's test kernels ------*- C++ -*-===//
//
// Text after the prologue of ConvertAttnToTileTest.cpp: %n and %m are kv_len
// and query_len, %off their difference, %c0, %c1, %c2 and %c4 numbers.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_TEST_UNIT_LOWERING_FORMULAS_H
#define ATTNC_TEST_UNIT_LOWERING_FORMULAS_H

#include <string>

namespace attnc {

// q is a row; its position is q + off.
inline constexpr const char *kCausal = R"(
    %p = arith.addi %q, %off : index
    %c = arith.cmpi sle, %k, %p : index
    attn.yield %c : i1)";
inline constexpr const char *kCausalRanges = R"(
    %first = arith.addi %q0, %off : index
    %e = arith.addi %first, %c1 : index
    %f = arith.addi %q1, %off : index
    %all = arith.minsi %e, %n : index
    %any = arith.minsi %f, %n : index
    attn.yield_ranges [(%c0, %c0, %all, %any)])";
// p - 4 < k <= p
inline constexpr const char *kWindow = R"(
    %p = arith.addi %q, %off : index
    %a = arith.cmpi sle, %k, %p : index
    %lo = arith.subi %p, %c4 : index
    %z = arith.cmpi sgt, %k, %lo : index
    %c = arith.andi %a, %z : i1
    attn.yield %c : i1)";
// Keys 0 and 1, and the window: two segments.
inline constexpr const char *kSinksAndWindow = R"(
    %p = arith.addi %q, %off : index
    %a = arith.cmpi sle, %k, %p : index
    %lo = arith.subi %p, %c4 : index
    %z = arith.cmpi sgt, %k, %lo : index
    %s = arith.cmpi slt, %k, %c2 : index
    %w = arith.ori %z, %s : i1
    %c = arith.andi %a, %w : i1
    attn.yield %c : i1)";
inline constexpr const char *kWindowBounds = R"(
    %first = arith.addi %q0, %off : index
    %end = arith.addi %q1, %off : index
    %e = arith.addi %first, %c1 : index
    %all_hi = arith.minsi %e, %n : index
    %any_hi = arith.minsi %end, %n : index
    %c3 = arith.constant 3 : index
    %l0 = arith.subi %first, %c3 : index
    %l1 = arith.subi %end, %c4 : index
)";
inline std::string windowRanges() {
  return std::string(kWindowBounds) + R"(
    %any_lo = arith.maxsi %l0, %c0 : index
    %all_lo = arith.maxsi %l1, %c0 : index
    attn.yield_ranges [(%any_lo, %all_lo, %all_hi, %any_hi)])";
}
inline std::string sinksAndWindowRanges() {
  return std::string(kWindowBounds) + R"(
    %a1 = arith.minsi %c2, %all_hi : index
    %a2 = arith.minsi %c2, %any_hi : index
    %any_lo = arith.maxsi %l0, %c2 : index
    %all_lo = arith.maxsi %l1, %c2 : index
    attn.yield_ranges [(%c0, %c0, %a1, %a2), (%any_lo, %all_lo, %all_hi, %any_hi)])";
}
inline constexpr const char *kAllRanges =
    "attn.yield_ranges [(%c0, %c0, %n, %n)]";
inline constexpr const char *kPadding = R"(
    %l = attn.read %len[%b] : tensor<?xi32, #attn.dims<batch>> -> index
    %c = arith.cmpi slt, %k, %l : index
    attn.yield %c : i1)";
// A length per sequence, half of the keys at first; and without key 5.
inline constexpr const char *kCausalPadding = R"(
    %l = attn.read %len[%b] : tensor<?xi32, #attn.dims<batch>> -> index
    %i = arith.cmpi slt, %k, %l : index
    %p = arith.addi %q, %off : index
    %a = arith.cmpi sle, %k, %p : index
    %c = arith.andi %i, %a : i1
    attn.yield %c : i1)";
inline constexpr const char *kCausalButFive = R"(
    %c5 = arith.addi %c4, %c1 : index
    %i = arith.cmpi ne, %k, %c5 : index
    %p = arith.addi %q, %off : index
    %a = arith.cmpi sle, %k, %p : index
    %c = arith.andi %i, %a : i1
    attn.yield %c : i1)";
// The score times exp(rate * (q - k)).
inline std::string decayScore(const std::string &rate) {
  return R"(
    %d = arith.subi %q, %k : index
    %di = arith.index_cast %d : index to i64
    %df = arith.sitofp %di : i64 to f32
    %rate = arith.constant )" +
         rate + R"( : f32
    %u = arith.mulf %df, %rate : f32
    %decay = math.exp %u : f32
    %y = arith.mulf %x, %decay : f32
    attn.yield %y : f32)";
}
// A sink per query head; table[1] is -inf.
inline constexpr const char *kSink = R"(
    %i = arith.addi %h, %g : index
    %s = attn.read %table[%i] : tensor<7xf32, #attn.dims<7>> -> f32
    attn.yield %s : f32)";
// Parts that depend on the head, the query, the key and the pair.
inline constexpr const char *kRichScore = R"(
    %slope = attn.read %table[%h] : tensor<7xf32, #attn.dims<7>> -> f32
    %s2 = math.absf %slope : f32
    %cap = arith.constant 3.0 : f32
    %s3 = arith.minimumf %s2, %cap : f32
    %q7 = arith.remsi %q, %c4 : index
    %bq = attn.read %table[%q7] : tensor<7xf32, #attn.dims<7>> -> f32
    %bq2 = math.exp2 %bq : f32
    %ki = arith.index_cast %k : index to i64
    %kf = arith.sitofp %ki : i64 to f32
    %kt = math.tanh %kf : f32
    %d = arith.subi %q, %k : index
    %di = arith.index_cast %d : index to i64
    %df = arith.sitofp %di : i64 to f32
    %t0 = arith.mulf %s3, %df : f32
    %t1 = arith.addf %x, %t0 : f32
    %t2 = arith.addf %t1, %bq2 : f32
    %t3 = arith.addf %t2, %kt : f32
    attn.yield %t3 : f32)";

} // namespace attnc

#endif // ATTNC_TEST_UNIT_LOWERING_FORMULAS_H
