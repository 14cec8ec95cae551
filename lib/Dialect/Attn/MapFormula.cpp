//===- MapFormula.cpp - Letters and parts of a map's formula --------------===//

#include "attnc/Dialect/Attn/MapFormula.h"

using namespace mlir;
using namespace attnc;

std::string attn::renameLetters(StringRef letters, StringRef from,
                                StringRef to) {
  std::string renamed;
  for (char letter : letters)
    renamed += to[*axisOf(from, letter)];
  return renamed;
}

std::string attn::lettersOfInput(MapOp map, StringRef letters, unsigned input) {
  Labels labels = map.getAxisLabels();
  return renameLetters(labels.inputs[input], labels.output, letters);
}

std::string attn::lettersOf(attn::MapOp map, StringRef letters, Value value) {
  std::string found;
  auto add = [&](StringRef more) {
    for (char letter : more)
      if (!StringRef(found).contains(letter))
        found += letter;
  };
  Block &body = map.getBody().front();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    unsigned number = argument.getArgNumber(), inputs = map.getInputs().size();
    if (argument.getOwner() == &body)
      add(number < inputs ? lettersOfInput(map, letters, number)
                          : letters.substr(number - inputs, 1).str());
    return found;
  }
  Operation *op = value.getDefiningOp();
  if (op->getBlock() == &body)
    for (Value operand : op->getOperands())
      add(lettersOf(map, letters, operand));
  return found;
}

Value attn::cloneValue(OpBuilder &b, Block &from, Value value,
                       IRMapping &places) {
  if (Value known = places.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != &from)
    return value;
  for (Value operand : op->getOperands())
    cloneValue(b, from, operand, places);
  b.clone(*op, places);
  return places.lookup(value);
}
