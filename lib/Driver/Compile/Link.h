//===- Link.h - Archives and shared libraries of one object -----*- C++ -*-===//

#ifndef ATTNC_LIB_DRIVER_COMPILE_LINK_H
#define ATTNC_LIB_DRIVER_COMPILE_LINK_H

#include "attnc/Target/Platform.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace attnc {

/// A static archive whose one member is `object`, called `member`. Equal
/// arguments give equal bytes.
llvm::Expected<std::string> makeArchive(llvm::StringRef object,
                                        llvm::StringRef member,
                                        const Platform &platform);

/// The C compilers that link by default, the preferred one first.
std::vector<std::string> linkerNames();
/// The path of the C compiler driver that links shared libraries: `requested`,
/// or the platform's; on this machine's platform the first of cc, clang, gcc
/// and LLVM's own clang in PATH.
llvm::Expected<std::string> findLinker(llvm::StringRef requested,
                                       const Platform &platform);

/// Writes a temporary file.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef bytes);

/// A shared library of `object` for a file called `name`, which becomes its
/// soname, linked by `linker` (see findLinker).
llvm::Expected<std::string> linkShared(llvm::StringRef linker,
                                       llvm::StringRef object,
                                       llvm::StringRef name);

} // namespace attnc

#endif // ATTNC_LIB_DRIVER_COMPILE_LINK_H
