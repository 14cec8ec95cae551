//===- NvptxStrategy.h - Schedules of the NVPTX backend ---------*- C++ -*-===//

#ifndef ATTNC_LIB_SCHEDULE_NVPTX_NVPTXSTRATEGY_H
#define ATTNC_LIB_SCHEDULE_NVPTX_NVPTXSTRATEGY_H

#include "Strategy.h"

namespace attnc::schedule::nvptx {

const Strategy &getStrategy();

} // namespace attnc::schedule::nvptx

#endif // ATTNC_LIB_SCHEDULE_NVPTX_NVPTXSTRATEGY_H
