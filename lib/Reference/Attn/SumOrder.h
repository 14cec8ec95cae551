//===- SumOrder.h - In which order plain code sums --------------*- C++ -*-===//
//
// Plain code may sum in any order, and each has other roundings. Where one row
// decides how far a result is off, its error in one order is chance, so the
// check of kernels asks for several (docs/testing.md).
// Tests: test/Unit/Reference/FunctionTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_REFERENCE_ATTN_SUMORDER_H
#define ATTNC_LIB_REFERENCE_ATTN_SUMORDER_H

#include <cstddef>
#include <vector>

namespace attnc::reference {

/// The places of `count` terms in the order in which they are summed: as they
/// stand for `order` 0, another shuffle for each other number.
std::vector<size_t> sumOrder(size_t count, unsigned order);

} // namespace attnc::reference

#endif // ATTNC_LIB_REFERENCE_ATTN_SUMORDER_H
