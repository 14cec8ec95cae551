//===- TileModels.h - A matrix unit in software -----------------*- C++ -*-===//
//
// AMX as Intel's SDM describes it (volume 1, chapter 18, and volume 2): eight
// registers per thread, of the shapes that LDTILECFG gives them. Where the
// hardware raises an exception, a model keeps the first message and goes on.
// Registers hold NaNs after LDTILECFG and TILERELEASE instead of zeros: code
// that reads what it has not written cannot pass.
// Tests: test/Unit/Driver/TileModelsTest.cpp
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_DRIVER_RUN_MODEL_TILEMODELS_H
#define ATTNC_LIB_DRIVER_RUN_MODEL_TILEMODELS_H

#include <string>

namespace attnc {

/// Functions as `InstructionFunction`. LDTILECFG: the address of 64 bytes.
void configureTiles(void *result, const void *const *arguments);
/// TILERELEASE
void releaseTiles(void *result, const void *const *arguments);
/// TILELOADD, TILELOADDT1: register, address, bytes from one row to the next.
void loadTile(void *result, const void *const *arguments);
/// TILESTORED: the same.
void storeTile(void *result, const void *const *arguments);
/// TILEZERO: register.
void clearTile(void *result, const void *const *arguments);
/// TDPBF16PS: registers of the sums, of A and of B.
void multiplyTiles(void *result, const void *const *arguments);
/// TDPBSSD and TDPBUSD (A is unsigned): the same.
void multiplySignedTiles(void *result, const void *const *arguments);
void multiplyUnsignedTiles(void *result, const void *const *arguments);

/// The first fault of any thread since the last call of this function, or an
/// empty text.
std::string takeTileFault();

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_RUN_MODEL_TILEMODELS_H
