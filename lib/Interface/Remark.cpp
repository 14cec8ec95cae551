//===- Remark.cpp - Remarks of passes -------------------------------------===//
//
// See Remark.h. Locations stay with a kernel when passes rewrite it, and are no
// part of the IR's text.
//
//===----------------------------------------------------------------------===//

#include "attnc/Interface/Remark.h"

#include "attnc/Interface/Interface.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace attnc {

static constexpr llvm::StringLiteral kKernel = "kernel ";

/// Whether a function of `module` is a case, or stands beside cases.
static bool isOneOfSeveral(StringAttr body, Operation *module) {
  return ownerOfBody(body) != body ||
         (module->hasTrait<OpTrait::SymbolTable>() &&
          SymbolTable::lookupSymbolIn(module, caseSymbol(body.getValue(), 0)));
}

InFlightDiagnostic remarkOn(Operation *op) {
  InFlightDiagnostic remark = op->emitRemark();
  StringAttr body;
  while (op && !body) {
    body = op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
    op = op->getParentOp();
  }
  Diagnostic *inner = remark.getUnderlyingDiagnostic();
  if (body && op && inner && isOneOfSeveral(body, op))
    inner->getMetadata().push_back(DiagnosticArgument(Attribute(body)));
  return remark;
}

std::string bodyOf(Diagnostic &remark) {
  for (DiagnosticArgument &argument : remark.getMetadata())
    if (argument.getKind() ==
        DiagnosticArgument::DiagnosticArgumentKind::Attribute)
      if (auto name = dyn_cast<StringAttr>(argument.getAsAttribute()))
        return name.str();
  return "";
}

Location nameKernel(unsigned number, Location scores, Location values) {
  MLIRContext *context = scores->getContext();
  auto name = StringAttr::get(context, kKernel + Twine(number));
  return NameLoc::get(name, FusedLoc::get(context, {scores, values}));
}

unsigned kernelNumberOf(Location location) {
  auto name = location->findInstanceOf<NameLoc>();
  StringRef text = name ? name.getName().getValue() : "";
  unsigned number = 0;
  return text.consume_front(kKernel) && !text.getAsInteger(10, number) ? number
                                                                       : 0;
}

std::string describeKernel(Location location) {
  unsigned number = kernelNumberOf(location);
  if (!number)
    return "";
  std::string text = (kKernel + Twine(number)).str();
  FileLineColRange last;
  location->walk([&](Location part) {
    if (auto place = dyn_cast<FileLineColRange>(part))
      last = place;
    return WalkResult::advance();
  });
  if (last)
    text += " at " + std::to_string(last.getStartLine()) + ":" +
            std::to_string(last.getStartColumn());
  return text;
}

} // namespace attnc
