//===- Outputs.cpp - Files that appear whole or not at all ----------------===//

#include "Compile/Outputs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc {

static llvm::Error cannotWrite(llvm::StringRef path, llvm::Error error) {
  std::string place =
      path == "-" ? "the standard output" : ("'" + path + "'").str();
  return llvm::createStringError("cannot write " + place + ": " +
                                 llvm::toString(std::move(error)));
}

/// The error of a stream after everything was written to it.
static llvm::Error finish(llvm::raw_fd_ostream &os, llvm::StringRef path) {
  os.flush();
  if (!os.has_error())
    return llvm::Error::success();
  std::error_code code = os.error();
  os.clear_error();
  return cannotWrite(path, llvm::errorCodeToError(code));
}

/// A device or a pipe is written to; renaming a file over it would replace it.
static bool isWrittenInPlace(llvm::StringRef path) {
  llvm::sys::fs::file_status status;
  return path == "-" || (!llvm::sys::fs::status(path, status) &&
                         llvm::sys::fs::exists(status) &&
                         !llvm::sys::fs::is_regular_file(status) &&
                         !llvm::sys::fs::is_directory(status));
}

static llvm::Error writeInPlace(llvm::StringRef path, llvm::StringRef bytes) {
  if (path == "-") {
    llvm::outs() << bytes;
    return finish(llvm::outs(), path);
  }
  std::error_code code;
  llvm::raw_fd_ostream os(path, code, llvm::sys::fs::CD_OpenExisting);
  if (code)
    return cannotWrite(path, llvm::errorCodeToError(code));
  os << bytes;
  return finish(os, path);
}

/// `bytes` in a new file beside `path`.
static llvm::Expected<llvm::sys::fs::TempFile>
writeAside(llvm::StringRef path, llvm::StringRef bytes, bool isExecutable) {
  // Found out now and not when other files have been renamed already.
  if (llvm::sys::fs::is_directory(path))
    return cannotWrite(path, llvm::errorCodeToError(std::make_error_code(
                                 std::errc::is_a_directory)));
  unsigned mode = llvm::sys::fs::all_read | llvm::sys::fs::owner_write |
                  (isExecutable ? llvm::sys::fs::all_exe : 0);
  auto file = llvm::sys::fs::TempFile::create(path + ".%%%%%%.tmp", mode);
  if (!file)
    return cannotWrite(path, file.takeError());
  llvm::raw_fd_ostream os(file->FD, /*shouldClose=*/false);
  os << bytes;
  if (llvm::Error error = finish(os, path)) {
    llvm::consumeError(file->discard());
    return std::move(error);
  }
  return std::move(*file);
}

llvm::Error Outputs::write() const {
  std::vector<llvm::sys::fs::TempFile> pending;
  std::vector<llvm::StringRef> paths;
  llvm::Error result = llvm::Error::success();
  for (const auto &[path, bytes, isExecutable] : files) {
    if (isWrittenInPlace(path))
      continue;
    auto file = writeAside(path, bytes, isExecutable);
    if (!file) {
      result = llvm::joinErrors(std::move(result), file.takeError());
      break;
    }
    pending.push_back(std::move(*file));
    paths.push_back(path);
  }
  bool failed = static_cast<bool>(result);
  for (auto [file, path] : llvm::zip_equal(pending, paths)) {
    if (failed) {
      llvm::consumeError(file.discard());
      continue;
    }
    if (llvm::Error error = file.keep(path)) {
      result = cannotWrite(path, std::move(error));
      failed = true;
    }
  }
  if (failed)
    return result;
  for (const auto &[path, bytes, isExecutable] : files)
    if (isWrittenInPlace(path))
      if (llvm::Error error = writeInPlace(path, bytes))
        return error;
  return result;
}

} // namespace attnc
