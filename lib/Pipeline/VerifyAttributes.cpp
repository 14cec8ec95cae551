//===- VerifyAttributes.cpp - Attributes that are read somewhere ----------===//
//
// MLIR lets an op carry any attribute besides its own. One that nothing reads
// is a misspelt one, or one in the wrong position: an edit without effect,
// which is refused when a dump is read back. The table below has all attributes
// of the compiler; what a stage writes is checked, too, so that its dump can be
// read. Attributes of other dialects, such as llvm.noalias, are theirs.
// Tests: test/Pipeline/unknown-attributes.test
//
//===----------------------------------------------------------------------===//

#include "PassTable.h"

#include "attnc/Analysis/Cost/Residency.h"
#include "attnc/Analysis/Kernel/ViewDigits.h"
#include "attnc/Codegen/Common/Passes.h"
#include "attnc/Dialect/Attn/AttnMove.h"
#include "attnc/Dialect/Attn/Cases.h"
#include "attnc/Dialect/Attn/InProduct.h"
#include "attnc/Dialect/Attn/NarrowSums.h"
#include "attnc/Dialect/Attn/Panels.h"
#include "attnc/Dialect/Attn/StoredView.h"
#include "attnc/Dialect/Attn/Tf32.h"
#include "attnc/Dialect/Attn/TileRows.h"
#include "attnc/Dialect/Halide/Halide.h"
#include "attnc/Dialect/Tile/Tile.h"
#include "attnc/Interface/Attributes.h"
#include "attnc/Interface/Interface.h"
#include "attnc/Support/Nearest.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/CallInterfaces.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace attnc {
namespace {

enum class Position { Op, Argument, Result };

/// An attribute and the ops that it is read of, or of whose arguments.
struct KnownAttribute {
  StringRef name;
  ArrayRef<StringLiteral> ops;
  Position position = Position::Op;
};

constexpr StringLiteral modules[] = {ModuleOp::getOperationName()};
constexpr StringLiteral functions[] = {func::FuncOp::getOperationName()};
constexpr StringLiteral modulesAndFunctions[] = {
    ModuleOp::getOperationName(), func::FuncOp::getOperationName()};
constexpr StringLiteral kernels[] = {attn::KernelOp::getOperationName()};
constexpr StringLiteral maps[] = {attn::MapOp::getOperationName()};
constexpr StringLiteral products[] = {attn::ContractOp::getOperationName()};
constexpr StringLiteral views[] = {attn::ViewOp::getOperationName()};
constexpr StringLiteral mapsAndProducts[] = {
    attn::MapOp::getOperationName(), attn::ContractOp::getOperationName()};
constexpr StringLiteral sideOps[] = {
    attn::AppendOp::getOperationName(),    attn::ConcatOp::getOperationName(),
    attn::ContractOp::getOperationName(),  attn::MapOp::getOperationName(),
    attn::NormalizeOp::getOperationName(), attn::ReduceOp::getOperationName(),
    attn::ScanOp::getOperationName()};
constexpr StringLiteral exponentials[] = {math::ExpOp::getOperationName()};

constexpr KnownAttribute knownAttributes[] = {
    {kInterfaceAttr, modules},
    {kTargetAttr, modules},
    {kPlatformAttr, modules},
    {kScheduleAttr, modulesAndFunctions},
    {kExpectAttr, functions},
    {kCandidatesAttr, kernels},
    {attn::kTf32Attr, functions},
    {kResidentAttr, functions, Position::Argument},
    {attn::BlockAttr::kName, sideOps},
    {attn::kCases, sideOps},
    {attn::kInProduct, mapsAndProducts},
    {attn::kNarrowSums, products},
    {attn::kCompensated, products},
    {attn::kTileRows, products},
    {attn::kPanels, views},
    {attn::kStored, views},
    {kConvertOnLoad, maps},
    {codegen::kAtMostOne, exponentials},
};

/// The compiler's own namespaces.
constexpr StringRef namespaces[] = {
    "attnc", attn::AttnDialect::getDialectNamespace(),
    tile::TileDialect::getDialectNamespace(),
    halide::HalideDialect::getDialectNamespace()};

} // namespace

static bool belongsTo(const KnownAttribute &attribute, Operation *op,
                      Position position) {
  return attribute.position == position &&
         llvm::is_contained(attribute.ops, op->getName().getStringRef());
}

static std::string describe(const KnownAttribute &attribute) {
  return (attribute.position == Position::Argument ? "arguments of " : "") +
         llvm::join(attribute.ops, ", ");
}

/// The attributes of the table that an op may have.
static SmallVector<StringRef> listKnown(Operation *op, Position position) {
  SmallVector<StringRef> names;
  for (const KnownAttribute &attribute : knownAttributes)
    if (belongsTo(attribute, op, position))
      names.push_back(attribute.name);
  return names;
}

/// Adds what could have been meant, also an attribute of the op's own, or what
/// is known.
static void suggest(InFlightDiagnostic &error, Operation *op, StringRef name,
                    Position position) {
  SmallVector<StringRef> known = listKnown(op, position), all = known;
  if (position == Position::Op)
    llvm::append_range(all, op->getName().getAttributeNames());
  if (StringRef similar = nearest(name.lower(), all); !similar.empty())
    error.attachNote() << "fix: " << similar;
  else if (known.empty())
    error.attachNote()
        << "the compiler reads no such attribute here; remove it";
  else
    error.attachNote() << "known attributes: " << llvm::join(known, ", ");
}

/// Whether a name without a known meaning is to be refused: it has a namespace
/// of the compiler, almost one, or none.
static bool isOurs(StringRef name, MLIRContext *context) {
  auto [prefix, rest] = name.split('.');
  if (rest.empty() || llvm::is_contained(namespaces, prefix))
    return true;
  bool isOfDialect =
      llvm::is_contained(context->getAvailableDialects(), prefix);
  return !isOfDialect && !nearest(prefix.lower(), namespaces).empty();
}

static LogicalResult verifyAttribute(Operation *op, StringRef name,
                                     Position position) {
  const KnownAttribute *known =
      llvm::find_if(knownAttributes, [&](const KnownAttribute &attribute) {
        return attribute.name == name;
      });
  bool isKnown = known != std::end(knownAttributes);
  if (isKnown ? belongsTo(*known, op, position)
              : !isOurs(name, op->getContext()))
    return success();
  InFlightDiagnostic error = emitError(op->getLoc());
  StringRef of = position == Position::Op         ? "'"
                 : position == Position::Argument ? "an argument of '"
                                                  : "a result of '";
  if (isKnown)
    return error << "attribute '" << name << "' has no effect on " << of
                 << op->getName() << "'; it belongs to " << describe(*known);
  error << "unknown attribute '" << name << "' of " << of << op->getName()
        << "'";
  suggest(error, op, name, position);
  return error;
}

static LogicalResult verifyAll(Operation *op, ArrayAttr dictionaries,
                               Position position) {
  if (!dictionaries)
    return success();
  for (auto dictionary : dictionaries.getAsRange<DictionaryAttr>())
    for (NamedAttribute attribute : dictionary)
      if (failed(verifyAttribute(op, attribute.getName(), position)))
        return failure();
  return success();
}

LogicalResult verifyAttributes(ModuleOp module) {
  WalkResult result = module->walk([](Operation *op) -> WalkResult {
    for (NamedAttribute attribute : op->getDiscardableAttrs())
      if (failed(verifyAttribute(op, attribute.getName(), Position::Op)))
        return failure();
    auto function = dyn_cast<ArgAndResultAttrsOpInterface>(op);
    if (!function)
      return success();
    return success(
        succeeded(
            verifyAll(op, function.getArgAttrsAttr(), Position::Argument)) &&
        succeeded(verifyAll(op, function.getResAttrsAttr(), Position::Result)));
  });
  return failure(result.wasInterrupted());
}

} // namespace attnc
