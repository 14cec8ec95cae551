//===- Yaml.h - YAML into a tree of own nodes -----------------------------===//
//
// LLVM's YAML parser reads on demand, drops tags without a word, and splits
// `kv: paged(table, n)` in a flow map into two keys. So a scan of the raw text
// comes first (YamlScan.cpp) and refuses what would be misread, and the nodes
// are copied and checked before anybody looks at them (Yaml.cpp).
//
// Tests: test/Spec/Yaml
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SPEC_YAML_YAML_H
#define ATTNC_LIB_SPEC_YAML_YAML_H

#include "Diagnostic/Report.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SMLoc.h"

#include <string>
#include <vector>

namespace attnc::spec {

struct YamlEntry;

struct YamlNode {
  enum Kind : uint8_t { Null, Scalar, Map, List };
  Kind kind = Null;
  llvm::SMRange range;   // of a scalar: its characters without quotes
  std::string text;      // Scalar
  bool verbatim = false; // text is what stands at range, character by character
  std::vector<YamlEntry> map;
  std::vector<YamlNode> list;

  /// The characters in the file; only if verbatim.
  llvm::StringRef source() const { return Report::textOf(range); }
};

struct YamlEntry {
  YamlNode key; // a Scalar
  YamlNode value;
};

/// The longest text that is read.
constexpr size_t maxSpecBytes = 1 << 20;

/// Refuses what LLVM's parser would misread or not survive: bytes that are no
/// text, tabs as indentation, deep nesting, anchors, tags, block scalars and
/// formulas that need quotes. False after an error.
bool scanYaml(llvm::StringRef text, Report &report);

/// The text with `[` and `]` made `(` and `)` in values of `inputs:` that begin
/// with `[`: `x: [heads] nondecreasing` is a type there, not a YAML list.
std::string hideTypes(llvm::StringRef text);

/// Reads the documents of a text that lies in a buffer of the SourceMgr of the
/// diagnostics. Documents of an empty or broken text are left out. False after
/// an error.
bool readYaml(llvm::StringRef text, Report &report,
              std::vector<YamlNode> &documents);

/// Whether (), [] and {} pair up.
bool bracketsMatch(llvm::StringRef text);

/// What to write instead of a flow map's entry that holds the character at
/// `at`, a place on the same line behind an open `{`; empty when there is none.
std::string flowEntryFix(llvm::StringRef text, size_t at);

} // namespace attnc::spec

#endif // ATTNC_LIB_SPEC_YAML_YAML_H
