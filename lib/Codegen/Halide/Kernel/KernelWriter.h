//===- KernelWriter.h - The functions of a kernel's pipeline ----*- C++ -*-===//

#ifndef ATTNC_LIB_CODEGEN_HALIDE_KERNEL_KERNELWRITER_H
#define ATTNC_LIB_CODEGEN_HALIDE_KERNEL_KERNELWRITER_H

#include "Formula.h"
#include "Kernel/ChunkFactors.h"
#include "Kernel/Kernel.h"
#include "Kernel/KeyLoop.h"
#include "Tasks.h"

#include "attnc/Dialect/Halide/Halide.h"

namespace attnc::halide {

/// A task is a block of queries of one head, or of all heads of a group.
/// Functions have the dimensions i (a row of the block), k (a key), c (a
/// feature of a key) and e (of a value), and on a device t (a task).
class KernelWriter {
public:
  KernelWriter(attn::KernelOp kernel, const FunctionPlan &plan, Step &step,
               const KernelJob &job);

  mlir::LogicalResult write();

private:
  using Result = mlir::FailureOr<Ex>;

  mlir::LogicalResult check();
  void makeGrid();
  void makeGridOfStates();
  Ex keysFrom(), keysCount();
  mlir::LogicalResult findRange();
  void limitToPart();
  Ex firstKeyOfPart();
  /// Of the keys that functions are indexed by, which on a device are counted
  /// from the first one of the part.
  Ex keyInTensor(Ex key);
  mlir::LogicalResult defineRowsOfSums();
  void scheduleTransposed(llvm::StringRef function, int64_t features);
  mlir::LogicalResult defineSums(llvm::StringRef prefix);
  mlir::LogicalResult defineScores(llvm::StringRef prefix = "");
  mlir::LogicalResult
  defineOfSums(const std::string &function, llvm::StringRef prefix,
               llvm::function_ref<Result(llvm::StringRef)> make);
  mlir::LogicalResult defineRows();
  llvm::SmallVector<KeyLoop> makeLoops();
  Ex firstKey(const KeyLoop &loop, Ex block);
  Ex divideUp(Ex keys, int64_t size);
  mlir::LogicalResult defineBlockScores(const KeyLoop &loop, Ex score);
  void computeAtBlock(const KeyLoop &loop, llvm::StringRef function);
  mlir::LogicalResult defineBlock(const KeyLoop &loop);
  mlir::LogicalResult defineMerges(llvm::ArrayRef<KeyLoop> loops);
  mlir::LogicalResult defineOnline();
  bool hasFeatureLanes() const { return target && target.hasFeatureLanes(); }
  /// With features in the lanes, those of a vector of values.
  int64_t valueLanes() const { return target.getLanesOf(valueDim); }
  void scheduleAlong(llvm::StringRef function, llvm::StringRef x, int64_t lanes,
                     int64_t extent, llvm::StringRef loop = "");
  void scheduleRowsAlong(llvm::StringRef function, int64_t features);
  mlir::LogicalResult defineFoldedSums(const KeyLoop &loop,
                                       llvm::StringRef prefix);
  void scheduleFolded(llvm::StringRef function, int64_t lanes,
                      const std::string &user);
  void scheduleFoldedSum(const KeyLoop &loop, unsigned number,
                         llvm::StringRef prefix, const std::string &stored);
  mlir::LogicalResult
  defineOfFoldedSums(const KeyLoop &loop, const std::string &function,
                     const std::string &prefix,
                     llvm::function_ref<Result(llvm::StringRef)> make);
  mlir::LogicalResult defineFoldedScores(const KeyLoop &loop);
  void defineFoldedKeys(const KeyLoop &loop, const std::string &function,
                        Ex start, llvm::function_ref<Ex(Ex key)> element,
                        llvm::function_ref<Ex(Ex a, Ex b)> combine);
  mlir::LogicalResult defineBlockAlong(const KeyLoop &loop);
  mlir::FailureOr<std::string> defineFactors(const KeyLoop &loop);
  mlir::LogicalResult defineValuesAlong(const KeyLoop &loop,
                                        const std::string &factors);
  void scheduleStateAlong(llvm::ArrayRef<KeyLoop> loops);
  void scheduleStateVectors(llvm::ArrayRef<KeyLoop> loops);
  int64_t firstColumn() const {
    return tasks.isDevice()    ? 0
           : hasFeatureLanes() ? std::max<int64_t>(valueLanes(), 2)
                               : 2;
  }
  /// Of a state: whole vectors where lanes are features.
  int64_t stateColumns() const {
    return firstColumn() + valueDim + std::max<int64_t>(firstColumn(), 2);
  }
  Ex columnOfSum() { return b.integer(firstColumn() + valueDim); }
  Ex columnOfMax() { return b.integer(firstColumn() + valueDim + 1); }
  mlir::LogicalResult defineState();
  mlir::LogicalResult mergeBlocks(llvm::StringRef prefix, Ex blocks,
                                  llvm::ArrayRef<Ex> where);
  int64_t stateVectors() const;
  Ex chunkSize();
  Result visibleKeys();
  FactorArguments factorArguments();
  std::optional<RegionFactors> featureFactors(const FactorArguments &arguments);
  FactorPlace anchorOf(Ex first, Ex visible);
  Result decayRatio(FactorPlace to, FactorPlace from, Ex d);
  unsigned countAnchors() const;
  void defineOfChunk(llvm::StringRef name,
                     llvm::ArrayRef<std::string> variables, Ex value);
  Ex callOfChunk(llvm::StringRef name, llvm::ArrayRef<Ex> at, Ex n);
  mlir::LogicalResult defineStateKeys(Ex n, Ex visible, Ex d);
  mlir::LogicalResult defineStateFactors(Ex n, Ex visible, Ex d);
  Result stateValue(Ex n, Ex k, Ex e);
  mlir::LogicalResult defineStateSums();
  llvm::SmallVector<Ex> stateIndices(Ex number, Ex column, Ex feature);
  Ex anchorColumn(unsigned number);
  mlir::LogicalResult defineAnchors(FactorPlace from, Ex d);
  Ex nextState(const StateElement &at, Ex ratio, Ex added,
               llvm::ArrayRef<Ex> anchors);
  std::tuple<Ex, Ex, llvm::SmallVector<Ex>> partsOfState(Ex lane, Ex column,
                                                         Ex n);
  mlir::LogicalResult writeStates();
  void scheduleStates(const std::string &domain);
  mlir::LogicalResult findState();
  void defineOfRows(llvm::StringRef name, llvm::ArrayRef<std::string> variables,
                    Ex value);
  mlir::LogicalResult defineStateRows();
  mlir::LogicalResult startFromState();
  Ex startOf(Ex i, std::optional<Ex> feature = std::nullopt);
  void scheduleSumOnDevice(llvm::StringRef function, llvm::StringRef x,
                           llvm::StringRef y,
                           llvm::ArrayRef<std::string> domain);
  mlir::LogicalResult defineStateSumsOnDevice(Ex n);
  void storeStatesOnDevice();
  mlir::LogicalResult writeStatesOnDevice();
  mlir::LogicalResult checkStateOnDevice();
  mlir::LogicalResult defineOnDevice();
  mlir::LogicalResult defineScoresOnDevice();
  mlir::LogicalResult defineBlockOnDevice();
  void scheduleOnDevice();
  void scheduleRowsOnDevice(llvm::StringRef function);
  void scheduleProductOnDevice(llvm::StringRef product, llvm::StringRef user,
                               llvm::StringRef along, int64_t width);
  llvm::SmallVector<Ex> visitedWhere(Ex block);
  llvm::SmallVector<Ex> computedWhere(Ex block);
  void placeOnDevice(llvm::StringRef function, llvm::StringRef array);
  void fixExtents(llvm::StringRef function, llvm::StringRef along = "",
                  int64_t extent = 0);
  Ex tag(), isTagged(Ex bits);
  Ex keyAt(Ex block, Ex inside);
  bool repeatsSums();
  mlir::LogicalResult defineExactScores();
  mlir::FailureOr<std::pair<Ex, Ex>> exactTerm(Ex i, Ex key, Ex e);
  mlir::LogicalResult defineRuns(bool mayHide);
  Ex isNotFinite(Ex value);
  void defineNans();
  void defineNansAlong(llvm::function_ref<Ex(Ex result)> isBad);
  Ex isLastRun();
  mlir::LogicalResult defineExactValues();
  mlir::LogicalResult storeResults();
  mlir::LogicalResult storeValues();
  mlir::LogicalResult storeState();
  void reportNans();
  llvm::SmallVector<Ex> placeOf(Ex i);
  Ex sumOfValues(Ex i, Ex e);
  Ex resultOf(Ex i, Ex e);
  enum class StateKind { Maximum, Sum, Values };
  /// Of part `number`, for row i; of values, for feature e.
  Ex stateOf(Ex number, Ex i, StateKind kind, Ex e = {});
  mlir::LogicalResult defineMerged();
  void scheduleMerged(llvm::StringRef function, llvm::StringRef domain,
                      llvm::StringRef along = "");
  llvm::SmallVector<std::pair<Ex, Ex>>
  storedDims(llvm::ArrayRef<std::pair<Ex, Ex>> inner);
  void beginStore(const llvm::Twine &task);
  llvm::SmallVector<Ex> storedWhere(Ex i);
  void scheduleTiles(llvm::StringRef user, llvm::StringRef along,
                     llvm::ArrayRef<int64_t> tile);
  void scheduleProducts(llvm::ArrayRef<std::string> products,
                        llvm::StringRef user, llvm::StringRef along,
                        llvm::ArrayRef<int64_t> tile);
  void specializeProduct(llvm::StringRef product);
  void scheduleSums(llvm::StringRef prefix, llvm::StringRef user);
  void scheduleProduct(llvm::StringRef product, llvm::StringRef user,
                       llvm::StringRef along, llvm::ArrayRef<int64_t> tile);
  void scheduleVectors(llvm::StringRef function, unsigned updates = 0,
                       llvm::StringRef loop = "");
  Ex rowOf(Ex i);
  std::pair<Ex, Ex> headAndQueryOf(Ex row);
  Ex countRows(mlir::Value rows);
  mlir::Attribute sizeOfRows();
  Result elementOfRow(mlir::Value rows, Ex row, Ex feature);
  Result rowElement(mlir::Value rows, Ex i, Ex feature);
  Result keyElement(mlir::Value keys, Ex key, Ex feature);
  static std::string numbered(llvm::StringRef prefix, unsigned number);
  Result ofSums(mlir::Region &region, llvm::StringRef prefix, Ex i, Ex key);
  Result maskOf(llvm::StringRef prefix, Ex i, Ex key);
  Result scoreOf(llvm::StringRef prefix, Ex i, Ex key);
  Result termOfSum(unsigned number, Ex i, Ex k, Ex d);
  Result valueOf(Ex i, Ex key, Ex e);
  Result contribution(Ex weight, std::optional<Ex> gate, Ex i, Ex key, Ex e);
  std::optional<Ex> storedGate(llvm::StringRef prefix, Ex i, Ex key);
  llvm::SmallVector<Ex> headIndices();
  llvm::SmallVector<Ex> rowIndices(Ex i);
  llvm::SmallVector<Ex> indicesOf(Ex i, Ex key);
  Result math(llvm::StringRef function, Ex x);
  Result weigh(Ex score);
  Result weigh(Ex score, Ex shift);
  Result initOf(Ex i);
  /// The score and the weight of a row without keys, relative to its maximum.
  mlir::FailureOr<std::pair<Ex, Ex>> initialState(Ex i);
  Ex shiftOf(Ex maximum);
  Ex round(Ex weight);
  Result logOfSum(Ex sum, Ex shift);
  Ex lowest() { return b.real(-std::numeric_limits<double>::infinity(), acc); }

  attn::KernelOp kernel;
  const FunctionPlan &plan;
  KernelPart part;
  const KeyParts *parts;     // null: the keys are not split
  const ChunkStates *chunks; // null: another form than chunked
  Step &step;
  Builder &b;
  Tensors tensors;
  Tasks tasks;
  attn::NormAttr norm;
  attn::ScheduleAttr schedule;
  ScheduleAttr target;    // on a CPU
  GpuScheduleAttr device; // on a device
  ScalarType acc;
  int64_t headDim = 0, valueDim = 0; // headDim: of all rows together
  /// Query heads whose rows alternate in a block (`row_axes = gq`).
  int64_t group = 1;
  bool masks = false, isOnline = false;
  int64_t width; // queries of a block, or features in a pipeline of states
  /// Of the values that kExact may have, the last one; with `hasExact` it is
  /// that of exact values.
  int64_t lastRun = 0;
  bool hasExact = false;
  /// Whether keys may be masked or out of range in what is being defined.
  bool checksKeys = true;
  /// Where it is not empty, what sums are indexed by instead of a row and a
  /// key.
  llvm::SmallVector<Ex> pairInBlock;
  Ex first, count; // of the keys that are visited
  /// Of form chunked: the state of the block, and the keys that row 0 sees.
  Ex stateNumber = {}, seenByFirst = {};
  /// From which key up to which one all queries of the task see all keys.
  std::optional<std::pair<Ex, Ex>> whole;
};

} // namespace attnc::halide

#endif // ATTNC_LIB_CODEGEN_HALIDE_KERNEL_KERNELWRITER_H
