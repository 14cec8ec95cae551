//===- Parse.h - From text to specs ---------------------------------------===//
//
// The front end's one entry: reads the YAML documents of a buffer, each one
// function, checks them by the rules of docs/spec-reference.md, and says what
// is wrong where.
//
// Tests: test/Spec
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_SPEC_PARSE_H
#define ATTNC_SPEC_PARSE_H

#include "attnc/Spec/Spec.h"
#include "attnc/Support/SourceDiagnostics.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/SourceMgr.h"

#include <optional>
#include <string>
#include <vector>

namespace attnc::spec {

/// Reads the main buffer of `sources`. Each override is `KEY=VALUE` and
/// replaces a key of every document as if written there; its own diagnostics
/// point into buffers called `--set`, which are added to `sources`. Errors and
/// warnings go to `diagnostics` (which must be made for `sources`); none are
/// printed. No value when there was an error. Never fails otherwise, whatever
/// the bytes are.
std::optional<std::vector<AttentionSpec>>
parseSpecs(llvm::SourceMgr &sources, SourceDiagnostics &diagnostics,
           llvm::ArrayRef<std::string> overrides = {});

} // namespace attnc::spec

#endif // ATTNC_SPEC_PARSE_H
