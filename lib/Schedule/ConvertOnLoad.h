//===- ConvertOnLoad.h - Read quantized keys and values ---------*- C++ -*-===//

#ifndef ATTNC_LIB_SCHEDULE_CONVERTONLOAD_H
#define ATTNC_LIB_SCHEDULE_CONVERTONLOAD_H

#include "attnc/Dialect/Attn/Attn.h"

namespace attnc::schedule {

/// Lets a kernel load keys and values that an attn.map dequantizes, 8-bit
/// integers times factors of the key, as integers. What a map of another form
/// makes is dequantized before the kernel; a remark gives the reason.
void convertOnLoad(attn::KernelOp kernel);

/// Whether the keys or values of a kernel are made of 8-bit integers.
bool isQuantized(attn::KernelOp kernel);

} // namespace attnc::schedule

#endif // ATTNC_LIB_SCHEDULE_CONVERTONLOAD_H
