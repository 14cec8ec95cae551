//===- ForeignFiles.h - Files of other tools given as a spec --------------===//
//
// Users pass a model's config.json or a checkpoint to the compiler. One error
// that names the format and the next step replaces a YAML syntax error.
//
// Tests: test/Regression/foreign-files.test
//
//===----------------------------------------------------------------------===//

#ifndef ATTNC_LIB_SPEC_YAML_FOREIGNFILES_H
#define ATTNC_LIB_SPEC_YAML_FOREIGNFILES_H

#include "Diagnostic/Report.h"

#include "llvm/ADT/StringRef.h"

namespace attnc::spec {

/// Reports a file that is JSON, a checkpoint or another binary format. Returns
/// false for text that may be a spec.
bool reportForeignFile(llvm::StringRef text, Report &report);

} // namespace attnc::spec

#endif // ATTNC_LIB_SPEC_YAML_FOREIGNFILES_H
