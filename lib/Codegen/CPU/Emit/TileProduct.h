//===- TileProduct.h - A product of a matrix unit ---------------*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_CPU_EMIT_TILEPRODUCT_H
#define ATTNC_LIB_CODEGEN_CPU_EMIT_TILEPRODUCT_H

#include "Emit/Emitter.h"

#include <memory>

namespace attnc::cpu {

/// Registers of a block of sums along both its dims.
inline constexpr int64_t kBlock = 2;

/// Up to so many steps of a product are written one after the other.
inline constexpr int64_t kMostUnrolled = 4;

/// Writes the code of one product for one window, or of several that add to the
/// same sums. The operands are those of the emitter when it is made: rows,
/// extents, and copies of alternating slots.
class TileProduct {
public:
  TileProduct(Emitter &emitter, mlir::ArrayRef<mlir::Operation *> dots,
              Window window);

  /// All sums, block by block.
  void emit();
  /// Emits the product of an item and the nest of the next one, which computes
  /// rows of a block of sums next to the products of the next block; or nothing
  /// and false.
  static bool emitBoth(Emitter &emitter, const Item &item, const Item &next,
                       Window window);
  /// Makes the same product of the tile before, if `isActive`, a part of
  /// `emitPaced`: both add to the same sums.
  void follow(TileProduct before, Value isActive);
  /// Sums are zero before, whatever their slot holds, if the condition is true.
  void startFromZero(Value condition) { startsFromZero = condition; }
  /// Restricts `emitPaced` to one half of the rows of sums, 0 or 1.
  void takeHalf(Value number);
  /// How often `emitPaced` pauses, after `every` instructions of a step or at
  /// its end.
  int64_t countPauses(int64_t every) const;
  /// A matrix in memory: element 0 and the bytes between two rows.
  struct Matrix {
    Value pointer, stride;
  };
  /// Sums in registers that are complete, if `isActive`, but not stored.
  struct Pending {
    SmallVector<int64_t> numbers;
    SmallVector<Matrix> places;
    SmallVector<Value> isActive;
  };
  /// How a product pauses: after `every` instructions; the first pause has the
  /// number `first`. The sums of the product before are stored after it has
  /// started.
  struct Paced {
    int64_t every, first;
    Pending pending;
  };
  /// The same sums as `emit`, with `pace` at each pause; the last ones are not
  /// stored.
  SmallVector<Value> emitPaced(const Paced &paced, mlir::ValueRange carried,
                               Pace pace);
  /// The sums that `emitPaced` leaves in registers.
  Pending lastSums(Value isActive);

private:
  void forEachPanel(llvm::function_ref<void()> emitPanel);
  bool usesStripes() const;
  void emitStripes();
  void emitColumns(int64_t vector, int64_t vectors);
  void emitBlock(Value row, int64_t rows, int64_t vector, int64_t vectors);
  /// A block of sums of a product that pauses.
  struct PacedBlock {
    Value row, firstPause;
    int64_t rows, every;
    Pending pending;
  };
  SmallVector<Value> emitPacedBlock(const PacedBlock &block,
                                    mlir::ValueRange carried, Pace pace);
  SmallVector<Value> emitPacedStep(const PacedBlock &block, Value step,
                                   bool isFirst, mlir::ValueRange carried,
                                   Pace pace);
  SmallVector<Value> emitPacedSteps(const PacedBlock &block, bool starts,
                                    mlir::ValueRange carried, Pace pace);
  int64_t stepsOfTile() const;
  int64_t stepsOfBlock() const;
  Value rowOfBlock(Value number);
  Pending pendingAt(Value number, Value row, const Pending &before);
  Pending pendingSums(Value row, int64_t rows, int64_t vector, int64_t vectors,
                      Value isActive);
  /// The block of sums before one: its first row block and vector; whether its
  /// sums are those of all steps.
  struct Before {
    Value row;
    int64_t rows, vector, vectors;
    Value isActive;
    bool isLast;
  };
  Before rowsBefore(Value row, int64_t vector, int64_t vectors, Value isActive,
                    bool isLast);
  Pending pendingOf(const Before &before);
  void emitDelayed(Value row, int64_t rows, int64_t vector, int64_t vectors,
                   const Before &before);
  void emitLast(const Before &before);
  void fetchPanel(Value row, Value step, int64_t vector);
  std::optional<int64_t> countSteps() const;
  void emitNestRows(Value first, int64_t vector, int64_t vectors);
  void emitNestBeside(const Before &before, Value turn);
  void emitDelayedColumns(Value begin, Value middle, Value end, int64_t vector,
                          int64_t vectors);
  Matrix sumAt(Value row, int64_t r, int64_t vector, int64_t v);
  void startSum(Value row, int64_t r, int64_t vector, int64_t v);
  void storeSum(Value row, int64_t r, int64_t vector, int64_t v);
  int64_t pausesOfStep(int64_t rows, int64_t every) const;
  /// Registers of a block of sums, in order: its row block and its vector.
  struct Place {
    int64_t r, v;
  };
  void emitInstruction(size_t term, Value row, Value step, Place place,
                       int64_t vector);
  void emitStep(Value row, Value step, int64_t rows, int64_t vector,
                int64_t vectors, size_t firstTerm = 0);
  /// The operands of one of the products.
  struct Term {
    Value queries, loaded; // operands B and A
    Rows from;
  };
  Matrix rowsAt(const Rows &from, Value row, Value step);
  Matrix slotAt(Value tile, Value row, int64_t vector);
  Matrix pairsAt(Value queries, Value row, int64_t vector);
  void loadRegister(int64_t number, Matrix from, llvm::StringRef name);

  Emitter &emitter;
  Ops &ops;
  tile::DotOp first, last; // of the products
  Window window;
  Value turn; // of alternating slots
  SmallVector<Term, 1> terms;
  bool isTransposed; // A is the copy of V
  StringAttr free;   // the dim of the rows of the result
  int64_t freeSize, sumSize, depth;
  int64_t rowBlocks; // of `emitPaced`
  Value firstBlock;  // null: 0
  /// The product of the tile before; null: there is none.
  std::shared_ptr<TileProduct> earlier;
  Value hasEarlier;
  Type part;               // the elements of A, as bits
  llvm::StringRef product; // the instruction
  /// Places along the summed dim.
  Value firstStep, endStep;
  /// Whether the sums start from zero; null: known at compile time.
  Value startsFromZero;
  /// Whether sums of earlier steps are in the slot of the result.
  bool continues = false;
  /// A nest that runs next to the last panel, or null.
  const Item *nest = nullptr;
  bool isLastPanel = true;
  /// Whether L1 holds operand A, not B.
  bool isInStripes = false;
};

/// Stores sums [begin, end).
void storePending(Ops &ops, const TileProduct::Pending &pending,
                  size_t begin = 0, size_t end = SIZE_MAX);

} // namespace attnc::cpu

#endif // ATTNC_LIB_CODEGEN_CPU_EMIT_TILEPRODUCT_H
