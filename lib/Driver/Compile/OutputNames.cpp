//===- OutputNames.cpp - What -o and --emit name --------------------------===//
//
// A file name says what it holds, as for other compilers and linkers: build
// systems pass -o and expect no further option.
// Tests: test/Tools/output.test, test/Tools/output-libraries.test
//
//===----------------------------------------------------------------------===//

#include "Compile/OutputNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace attnc {

llvm::ArrayRef<OutputKind> outputKinds() {
  static const std::vector<OutputKind> kinds = stageTable().outputKinds();
  return kinds;
}

const OutputKind *findOutputKind(llvm::StringRef name) {
  const OutputKind *kind = llvm::find_if(
      outputKinds(), [&](const OutputKind &kind) { return kind.name == name; });
  return kind == outputKinds().end() ? nullptr : kind;
}

/// `path` without the .so of a shared library and a version after it; nothing
/// for other names.
static std::optional<llvm::StringRef> stemOfShared(llvm::StringRef path) {
  llvm::StringRef rest = path;
  for (;;) {
    auto [front, back] = rest.rsplit('.');
    if (front.size() == rest.size())
      return std::nullopt;
    if (back == "so")
      return front;
    if (back.empty() || !llvm::all_of(back, llvm::isDigit))
      return std::nullopt;
    rest = front;
  }
}

ObjectFormat objectFormatOf(llvm::StringRef path) {
  llvm::StringRef name = llvm::sys::path::filename(path);
  if (name.ends_with(".a") || name.ends_with(".lib"))
    return ObjectFormat::Archive;
  return stemOfShared(name) ? ObjectFormat::SharedLibrary
                            : ObjectFormat::Object;
}

llvm::StringRef linkedSuffixOf(llvm::StringRef path) {
  if (isDirectoryName(path))
    return "";
  llvm::StringRef suffix = llvm::sys::path::extension(path);
  return llvm::is_contained({".dll", ".dylib", ".exe"}, suffix) ? suffix : "";
}

llvm::StringRef sourceSuffixOf(llvm::StringRef path) {
  if (isDirectoryName(path))
    return "";
  llvm::StringRef suffix = llvm::sys::path::extension(path);
  return llvm::is_contained({".c", ".cc", ".cpp", ".cu", ".json", ".ll", ".md",
                             ".py", ".spv", ".txt", ".yaml", ".yml"},
                            suffix)
             ? suffix
             : "";
}

const OutputKind *findKindOfName(llvm::StringRef path) {
  llvm::StringRef name = llvm::sys::path::filename(path);
  const OutputKind *kind =
      llvm::find_if(outputKinds(), [&](const OutputKind &kind) {
        return kind.name != "obj" && name.ends_with(kind.suffix);
      });
  return kind == outputKinds().end() ? nullptr : kind;
}

std::optional<std::vector<std::string>> kindsOfName(llvm::StringRef path) {
  std::vector<std::string> object = {"obj", "header"};
  if (isDirectoryName(path))
    return object;
  if (const OutputKind *kind = findKindOfName(path))
    return std::vector<std::string>{kind->name.str()};
  if (llvm::sys::path::filename(path).ends_with(".mlir"))
    return std::nullopt;
  return object;
}

std::string headerNextTo(llvm::StringRef object) {
  if (auto stem = stemOfShared(object))
    return stem->str() + ".h";
  llvm::StringRef stem = object;
  for (llvm::StringRef suffix : {".o", ".a", ".obj", ".lib"})
    if (stem.consume_back(suffix))
      break;
  return stem.str() + ".h";
}

bool isDirectoryName(llvm::StringRef path) {
  return path.ends_with("/") || llvm::sys::fs::is_directory(path);
}

} // namespace attnc
