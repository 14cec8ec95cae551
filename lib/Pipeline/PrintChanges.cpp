//===- PrintChanges.cpp - What each pass changed, as a diff ---------------===//
//
// The IR after every pass is hundreds of thousands of lines for a spec of five.
// This prints the changed lines of the changed functions with some context.
// Numbers of SSA values do not count as changes: one new op renumbers all that
// follow. A function that changed in too many lines gets one line: whoever
// wants its text takes --print-after. Tests: test/Tools/debugging.test
//
//===----------------------------------------------------------------------===//

#include "PrintChanges.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <vector>

using namespace mlir;

namespace attnc {
namespace {

using Lines = std::vector<std::string>;

/// More pairs of lines than this are not compared, more changed lines than that
/// are not printed.
constexpr size_t maxPairs = size_t(1) << 22;
constexpr size_t maxPrinted = 100;
constexpr size_t contextLines = 1;

struct Change {
  char kind; // ' ', '-' or '+'
  llvm::StringRef line;
};

class ChangePrinter : public PassInstrumentation {
public:
  explicit ChangePrinter(llvm::raw_ostream &os) : os(os) {}
  void runBeforePass(Pass *pass, Operation *op) override;
  void runAfterPass(Pass *pass, Operation *op) override;

private:
  void compare(llvm::StringRef pass, llvm::StringRef name, const Lines &before,
               const Lines &after);

  llvm::raw_ostream &os;
  llvm::StringMap<Lines> known; // by the name of the function
};

} // namespace

static std::string nameOf(Operation &op) {
  auto symbol = SymbolTable::getSymbolName(&op);
  return symbol ? "@" + symbol.str() : op.getName().getStringRef().str();
}

static Lines print(Operation &op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op.print(os, OpPrintingFlags().useLocalScope());
  Lines lines;
  for (llvm::StringRef line : llvm::split(text, '\n'))
    lines.push_back(line.str());
  return lines;
}

/// The functions that a pass on `op` may change.
static llvm::SmallVector<Operation *> functionsIn(Operation *op) {
  llvm::SmallVector<Operation *> functions;
  if (auto module = dyn_cast<ModuleOp>(op)) {
    for (Operation &function : *module.getBody())
      functions.push_back(&function);
    return functions;
  }
  return {op};
}

/// A line without the numbers of its SSA values: "%12 = f %a_3" is "% = f %a".
static std::string withoutNumbers(llvm::StringRef line) {
  std::string result;
  for (size_t i = 0; i < line.size();) {
    if (line[i] != '%') {
      result += line[i++];
      continue;
    }
    size_t end = i + 1;
    while (end < line.size() && (llvm::isAlnum(line[end]) || line[end] == '_'))
      ++end;
    llvm::StringRef name = line.slice(i, end);
    result += name.rtrim("0123456789").rtrim('_');
    i = end;
  }
  return result;
}

static std::vector<std::string> withoutNumbers(llvm::ArrayRef<std::string> in) {
  std::vector<std::string> lines;
  for (llvm::StringRef line : in)
    lines.push_back(withoutNumbers(line));
  return lines;
}

/// The changes from `before` to `after` by a longest common subsequence;
/// nothing if there are too many lines.
static std::optional<std::vector<Change>>
difference(llvm::ArrayRef<std::string> before,
           llvm::ArrayRef<std::string> after) {
  size_t n = before.size(), m = after.size();
  if ((n + 1) * (m + 1) > maxPairs || std::min(n, m) > UINT16_MAX)
    return std::nullopt;
  auto old = withoutNumbers(before), now = withoutNumbers(after);
  std::vector<uint16_t> common((n + 1) * (m + 1));
  auto length = [&](size_t i, size_t j) -> uint16_t & {
    return common[i * (m + 1) + j];
  };
  for (size_t i = n; i-- > 0;)
    for (size_t j = m; j-- > 0;)
      length(i, j) = old[i] == now[j]
                         ? length(i + 1, j + 1) + 1
                         : std::max(length(i + 1, j), length(i, j + 1));
  std::vector<Change> changes;
  for (size_t i = 0, j = 0; i < n || j < m;) {
    if (i < n && j < m && old[i] == now[j]) {
      changes.push_back({' ', after[j]});
      ++i, ++j;
    } else if (j == m || (i < n && length(i + 1, j) >= length(i, j + 1))) {
      changes.push_back({'-', before[i++]});
    } else {
      changes.push_back({'+', after[j++]});
    }
  }
  return changes;
}

static bool isNearChange(llvm::ArrayRef<Change> changes, size_t at) {
  size_t from = at < contextLines ? 0 : at - contextLines;
  for (const Change &change :
       changes.slice(from).take_front(at - from + contextLines + 1))
    if (change.kind != ' ')
      return true;
  return false;
}

void ChangePrinter::compare(llvm::StringRef pass, llvm::StringRef name,
                            const Lines &before, const Lines &after) {
  auto changes = difference(before, after);
  size_t count = 0;
  if (changes)
    count =
        llvm::count_if(*changes, [](const Change &c) { return c.kind != ' '; });
  if (changes && count == 0)
    return;
  os << "// after " << pass << ": " << name;
  if (before.empty())
    os << " is new";
  if (after.empty()) {
    os << " is removed\n";
    return;
  }
  if (!changes || count > maxPrinted) {
    os << llvm::formatv(", {0} lines -> {1} lines; for the text: "
                        "--print-after={2}\n",
                        before.size(), after.size(), pass);
    return;
  }
  os << '\n';
  bool isSkipping = false;
  for (auto [i, change] : llvm::enumerate(*changes)) {
    bool isShown = isNearChange(*changes, i);
    if (isShown)
      os << change.kind << ' ' << change.line << '\n';
    else if (!isSkipping)
      os << "  ...\n";
    isSkipping = !isShown;
  }
}

void ChangePrinter::runBeforePass(Pass *pass, Operation *op) {
  if (pass->getArgument().empty()) // only runs others
    return;
  for (Operation *function : functionsIn(op))
    known.try_emplace(nameOf(*function), print(*function));
}

void ChangePrinter::runAfterPass(Pass *pass, Operation *op) {
  if (pass->getArgument().empty())
    return;
  llvm::StringMap<Lines> now;
  for (Operation *function : functionsIn(op)) {
    std::string name = nameOf(*function);
    Lines after = print(*function);
    compare(pass->getArgument(), name, known[name], after);
    now[name] = after;
    known[name] = std::move(after);
  }
  if (!isa<ModuleOp>(op))
    return;
  for (const auto &entry : known)
    if (!now.contains(entry.first()))
      compare(pass->getArgument(), entry.first(), entry.second, {});
  known = std::move(now);
}

std::unique_ptr<PassInstrumentation>
createChangePrinter(llvm::raw_ostream &os) {
  return std::make_unique<ChangePrinter>(os);
}

} // namespace attnc
