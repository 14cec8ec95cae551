//===- Report.cpp - Diagnostics of the spec language by name --------------===//

#include "Diagnostic/Report.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace attnc::spec {

namespace {
struct MessageText {
  StringLiteral id;
  StringLiteral text;
};
} // namespace

#define DIAGNOSTIC_ID(Name, Id, Explanation)                                   \
  static constexpr StringLiteral id##Name = Id;
#include "Diagnostic/Diagnostics.def"

static constexpr MessageText messages[] = {
#define MESSAGE(Name, Id, Text) {id##Id, Text},
#include "Diagnostic/Diagnostics.def"
};

ArrayRef<DiagnosticId> diagnosticIds() {
  static constexpr DiagnosticId ids[] = {
#define DIAGNOSTIC_ID(Name, Id, Explanation) {Id, Explanation},
#include "Diagnostic/Diagnostics.def"
  };
  return ids;
}

std::string formatMessage(Message message, ArrayRef<std::string> arguments) {
  StringRef text = messages[size_t(message)].text;
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    bool place = text[i] == '{' && i + 2 < text.size() && text[i + 2] == '}';
    if (!place) {
      result += text[i];
      continue;
    }
    size_t number = text[i + 1] - '0';
    if (number < arguments.size())
      result += arguments[number];
    i += 2;
  }
  return result;
}

SourceDiagnostic &Report::error(Message message, SMRange range,
                                std::initializer_list<std::string> arguments) {
  SourceDiagnostic &error = sink.error(messages[size_t(message)].id, range,
                                       formatMessage(message, arguments));
  if (about)
    error.note(about->first, about->second);
  return error;
}

SourceDiagnostic &
Report::warning(Message message, SMRange range,
                std::initializer_list<std::string> arguments) {
  return sink.warning(messages[size_t(message)].id, range,
                      formatMessage(message, arguments));
}

} // namespace attnc::spec
