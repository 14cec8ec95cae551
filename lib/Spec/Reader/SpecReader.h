//===- SpecReader.h - One YAML document into one spec ---------------------===//
//
// Reads the keys in the order in which they need each other: sizes, element
// types, inputs, formulas, proofs, and what only concerns speed. A key that is
// refused leaves a harmless value behind, so that the others can be checked;
// what would only follow from its error is not told.
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SPEC_READER_SPECREADER_H
#define ATTNC_LIB_SPEC_READER_SPECREADER_H

#include "Check/Checker.h"
#include "Diagnostic/Report.h"
#include "Language/Language.h"
#include "Proof/Proofs.h"
#include "Tensor/TensorChecker.h"
#include "Yaml/Yaml.h"

#include "attnc/Spec/Spec.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace attnc::spec {

class SpecReader {
public:
  SpecReader(Report &report, std::string defaultName)
      : report(report), defaultName(std::move(defaultName)) {
    use.tensor = [this](const Node &name, std::optional<unsigned> &input) {
      return tensors.findTable(name, input);
    };
  }

  /// Reads a document, with the keys of `overrides` in place of its own. No
  /// value after an error.
  std::optional<AttentionSpec> read(const YamlNode &document,
                                    llvm::ArrayRef<YamlEntry> overrides);

private:
  // SpecReader.cpp
  bool collectKeys(const YamlNode &document,
                   llvm::ArrayRef<YamlEntry> overrides);
  void reportUnknownKeys(const YamlNode &document);
  const YamlEntry *entry(Key key) const;
  bool checkVersion(const YamlNode &document);
  void readName(const YamlNode &document);
  void readDTypes();
  std::optional<DType> readDType(const YamlNode &node);
  void readSchedule();
  bool failed() const { return report.foundErrors() != errorsBefore; }

  // ReadUse.cpp
  void checkUse();
  void checkFormulaUse();
  void reportUnbound(unsigned index);
  void checkLengths();

  // ReadSizes.cpp
  void readSizes(const YamlNode &document);
  void addSize(llvm::StringRef name, const YamlEntry *entry);
  void readNamedSizes();
  void readSizeValue(unsigned index);
  void resolveSize(unsigned index);
  void finishSize(unsigned index, const ExprPtr &value);
  void readFixed(BuiltinSize size);
  void readGroups();
  void readRunTimeGroups();

  // ReadInputs.cpp
  void readInputs();
  void readInput(llvm::StringRef name, llvm::SMRange nameRange,
                 const YamlNode &type);
  bool readInputType(Input &input, const YamlNode &type);
  bool readAxes(Input &input, FormulaParser &parser);
  bool readElementType(Input &input, FormulaParser &parser,
                       llvm::SMRange place);
  bool readPromises(Input &input, FormulaParser &parser);
  bool checkPromises(const Input &input);
  bool checkResident(const Input &input);

  // ReadLet.cpp
  void readLet();
  bool readDefinition(const YamlEntry &item);
  bool readNames(const YamlEntry &item);
  bool readParameters(llvm::StringRef text, llvm::SMRange range,
                      Definition &definition);
  void readRows();
  void keepLet();
  bool checkRowWidth(const ExprPtr &row, BuiltinSize size, llvm::StringRef name,
                     llvm::SMRange range, const Node *body);

  // ReadFormulas.cpp
  void readFormulas();
  NodePtr parseKey(Key key, llvm::StringRef byDefault);
  ExprPtr readFormula(Key key, llvm::StringRef byDefault, const Scope &scope,
                      Type type);
  void readAttention();
  void readValue();
  void readOutput();
  void readSoftmax(const Node &call);
  ExprPtr readRowArgument(const Node *node, llvm::StringRef name);
  void checkCaches();
  void warnCacheOffset(const Cache &cache);
  void maskCaches(AttentionSpec &own);
  void proveFormulas();
  void proveAttention(AttentionSpec &own);
  void proveOtherRows(const AttentionFormulas &written);
  bool prove(AttentionSpec &own, ExprPtr &formula, llvm::StringRef where,
             Domain domain, const ExprPtr &guard);
  void warnOffset();
  void warnMaskInScore();
  // SuspectFormulas.cpp
  void warnEmptyMask();
  void warnOpenWindow();
  void warnScaledTwice();

  // ReadOutputs.cpp
  void readOutputs();
  void readExtra(const YamlNode &item);
  void checkState();

  // ReadExpect.cpp
  void readExpect();
  void readRegime(const YamlNode &node);
  bool readRegimeCall(const YamlNode &node, Regime &regime);
  bool readRegimeMap(const YamlNode &node, Regime &regime);
  bool readRegimeEntry(const YamlEntry &entry, Regime &regime);
  void shorthand(llvm::StringRef name, int64_t n, Regime &regime) const;
  void completeRegime(Regime &regime) const;
  void checkExpect();

  // ReadPrecision.cpp
  void readPrecision();
  void readAccumulate(const YamlEntry &item);
  void readProbabilities(const YamlEntry &item);

  // ReadStorage.cpp
  struct PendingStorage {
    Storage *storage;
    std::string table, rows; // no table: refused; rows of a page, as a name
    llvm::SMRange tableRange, rowsRange;
  };
  void readStorage();
  bool readStorageCall(const Node &call, PendingStorage &pending);
  void refuseKind(const YamlNode &written, const Node &node);
  void refuseStorage(const Node &node, PendingStorage pending);
  void addStorageSizes();
  bool hasOneAxisOfRows() const;
  void bindStorage();
  bool readPageRows(const PendingStorage &pending);
  bool checkStarts(const Input &input);
  bool checkPages(const Input &input);
  void checkPagedLength(const Input &input);

  // Values
  bool needScalar(const YamlEntry &entry);
  bool needMap(const YamlEntry &entry);
  bool needLine(const YamlNode &node);
  std::optional<int64_t> readCount(const YamlNode &node);
  void unsupported(llvm::SMRange range, const llvm::Twine &what) {
    report.error(Message::Unsupported, range, {what.str()});
  }
  bool checkNewName(llvm::StringRef name, llvm::SMRange range);

  Report &report;
  std::string defaultName;
  unsigned errorsBefore = 0;
  std::map<Key, YamlEntry> keys;
  AttentionSpec spec;
  NameUse use;
  TensorChecker tensors{spec, report, use};
  llvm::SMRange anchor; // stands for what the file does not say

  struct PendingSize {
    NodePtr formula;
    enum State : uint8_t { Done, Waiting, Active } state = Done;
  };
  std::set<std::string> meant;          // keys that unknown ones stand for
  std::vector<PendingSize> pending;     // by index of the size
  std::vector<PendingStorage> storages; // whose tables are not looked up yet
  bool mixedTypes = false;              // dtype is a map with different types
};

/// A function's name out of a file's name.
std::string nameOfFile(llvm::StringRef file);

} // namespace attnc::spec

#endif // ATTNC_LIB_SPEC_READER_SPECREADER_H
