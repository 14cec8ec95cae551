//===- ReadPrecision.cpp - The key `precision` ----------------------------===//
//
// `accumulate` has one legal value for each type. `probabilities` chooses a
// type, `tf32` permits a backend to round f32 operands of products.
//
//===----------------------------------------------------------------------===//

#include "Reader/SpecReader.h"

#include "attnc/Support/Nearest.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace attnc::spec {

/// The type in which products are summed and weights are computed.
static DType computedType(const AttentionSpec &spec) {
  bool isDouble = is_contained(
      {spec.queryType, spec.keyType, spec.valueType, spec.outputType},
      DType::F64);
  return isDouble ? DType::F64 : DType::F32;
}

/// Other types than the one that is used would have to be honoured.
void SpecReader::readAccumulate(const YamlEntry &item) {
  std::optional<DType> dtype = readDType(item.value);
  DType computed = computedType(spec);
  if (dtype && *dtype != computed)
    report
        .error(Message::BadArgument, item.value.range,
               {"'accumulate'", dtypeName(computed).str()})
        .note("products of these types accumulate in " +
              dtypeName(computed).str());
}

/// The type of weights where they multiply V: that of V, or the wider one in
/// which they are computed.
void SpecReader::readProbabilities(const YamlEntry &item) {
  std::optional<DType> dtype = readDType(item.value);
  if (!dtype) // it has been told
    return;
  DType computed = computedType(spec);
  if (*dtype != spec.valueType && *dtype != computed) {
    std::string legal = dtypeName(computed).str();
    if (spec.valueType != computed)
      legal += " or " + dtypeName(spec.valueType).str();
    report.error(Message::BadArgument, item.value.range,
                 {"'probabilities'", legal});
    return;
  }
  spec.probabilities = dtype;
}

void SpecReader::readPrecision() {
  const YamlEntry *precision = entry(Key::Precision);
  if (!precision || !needMap(*precision))
    return;
  static constexpr StringRef names[] = {"accumulate", "probabilities", "tf32"};
  for (const YamlEntry &item : precision->value.map) {
    if (!is_contained(names, item.key.text))
      report.error(Message::UnknownKey, item.key.range, {item.key.text})
          .note("keys of 'precision': accumulate, probabilities, tf32")
          .fix(nearest(item.key.text, names));
    else if (!needScalar(item))
      continue;
    else if (item.key.text == "tf32" && item.value.text != "true" &&
             item.value.text != "false")
      report.error(Message::BadArgument, item.value.range,
                   {"'tf32'", "true or false"});
    else if (item.key.text == "probabilities")
      readProbabilities(item);
    else if (item.key.text == "accumulate")
      readAccumulate(item);
    else
      spec.tf32 = item.value.text == "true";
  }
}

} // namespace attnc::spec
