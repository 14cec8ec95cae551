//===- Assembly.cpp - Execution of inline assembly ------------------------===//

#include "Assembly.h"

#include "Ptx.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace attnc::nvptx;

namespace {

/// An instruction of PTX and its operation, without the modifiers that say
/// which shared memory. A `*` of the opcode matches any text, which replaces
/// the `*` of the operation. Operands are
///   =    a result            |   a result after the `|` of a pair
///   i    an argument         [   the next operand is an address
///   +    a list of registers that are arguments and results
///   ,    a list of arguments
/// where addresses with a list are `[i,`. Results and arguments are in the
/// order of the text.
struct Form {
  StringRef opcode, operands, operation;
};

} // namespace

static constexpr Form forms[] = {
    {"bar.arrive", "ii", "barrier.cta.arrive.aligned.count"},
    {"bar.sync", "i", "barrier.cta.sync.aligned.all"},
    {"bar.sync", "ii", "barrier.cta.sync.aligned.count"},
    {"barrier.sync.aligned", "i", "barrier.cta.sync.aligned.all"},
    {"barrier.sync.aligned", "ii", "barrier.cta.sync.aligned.count"},
    {"barrier.sync", "i", "barrier.cta.sync.all"},
    {"barrier.sync", "ii", "barrier.cta.sync.count"},
    {"barrier.arrive", "ii", "barrier.cta.arrive.count"},
    {"bar.warp.sync", "i", "bar.warp.sync"},
    {"mbarrier.init.b64", "[ii", "mbarrier.init.shared"},
    {"mbarrier.inval.b64", "[i", "mbarrier.inval.shared"},
    {"mbarrier.arrive.b64", "=[i", "mbarrier.arrive.shared"},
    {"mbarrier.arrive.b64", "=[ii", "mbarrier.arrive.scope.cta.space.cta"},
    {"mbarrier.arrive.expect_tx.b64", "=[ii",
     "mbarrier.arrive.expect.tx.scope.cta.space.cta"},
    {"mbarrier.expect_tx.b64", "[ii", "mbarrier.expect.tx.scope.cta.space.cta"},
    {"mbarrier.complete_tx.b64", "[ii",
     "mbarrier.complete.tx.scope.cta.space.cta"},
    {"mbarrier.try_wait.parity.b64", "=[ii", "mbarrier.try.wait.parity"},
    {"mbarrier.try_wait.parity.b64", "=[iii", "mbarrier.try.wait.parity"},
    {"mbarrier.test_wait.parity.b64", "=[ii", "mbarrier.test.wait.parity"},
    {"mbarrier.try_wait.b64", "=[ii", "mbarrier.try.wait"},
    {"mbarrier.try_wait.b64", "=[iii", "mbarrier.try.wait"},
    {"mbarrier.test_wait.b64", "=[ii", "mbarrier.test.wait"},
    {"fence.mbarrier_init.release.cluster", "", "fence.mbarrier_init"},
    {"fence.proxy.async", "", "fence.proxy.async"},
    {"fence.proxy.async.global", "", "fence.proxy.async.global"},
    {"cp.async.bulk.tensor.*.shared::cluster.global.mbarrier::complete_tx::"
     "bytes",
     "[i[i,[i", "ptx.load.*"},
    {"cp.async.bulk.tensor.*.shared::cluster.global.tile.mbarrier::complete_"
     "tx::bytes",
     "[i[i,[i", "ptx.load.*"},
    {"cp.async.bulk.tensor.*.global.bulk_group", "[i,[i", "ptx.store.*"},
    {"cp.async.bulk.tensor.*.global.tile.bulk_group", "[i,[i", "ptx.store.*"},
    {"cp.async.bulk.commit_group", "", "cp.async.bulk.commit.group"},
    {"cp.async.bulk.wait_group", "i", "cp.async.bulk.wait.group"},
    {"cp.async.bulk.wait_group.read", "i", "cp.async.bulk.wait.group.read"},
    {"cp.async.commit_group", "", "cp.async.commit.group"},
    {"cp.async.wait_group", "i", "cp.async.wait.group"},
    {"cp.async.wait_all", "", "cp.async.wait.all"},
    {"cp.async.mbarrier.arrive.b64", "[i", "cp.async.mbarrier.arrive"},
    {"cp.async.mbarrier.arrive.noinc.b64", "[i",
     "cp.async.mbarrier.arrive.noinc"},
    {"wgmma.fence.sync.aligned", "", "wgmma.fence.sync.aligned"},
    {"wgmma.commit_group.sync.aligned", "", "wgmma.commit_group.sync.aligned"},
    {"wgmma.wait_group.sync.aligned", "i", "wgmma.wait_group.sync.aligned"},
    {"wgmma.mma_async.sync.aligned.*", "+iiiiiii", "ptx.wgmma.ss.*"},
    {"wgmma.mma_async.sync.aligned.*", "+,iiiii", "ptx.wgmma.rs.*"},
    {"setmaxnreg.*", "i", "setmaxnreg.*"},
    {"elect.sync", "=|i", "elect.sync"},
    {"griddepcontrol.*", "", "griddepcontrol.*"},
    {"ex2.approx.*", "=i", "ex2.approx.*"},
    {"lg2.approx.*", "=i", "lg2.approx.*"},
    {"rcp.approx.*", "=i", "rcp.approx.*"},
    {"tanh.approx.*", "=i", "tanh.approx.*"},
    {"add.s32", "=ii", "ptx.add.32"},
    {"add.u32", "=ii", "ptx.add.32"},
    {"add.s64", "=ii", "ptx.add.64"},
    {"add.u64", "=ii", "ptx.add.64"},
    {"setp.ne.b32", "=ii", "ptx.setp.ne.32"},
    {"setp.ne.s32", "=ii", "ptx.setp.ne.32"},
    {"setp.ne.u32", "=ii", "ptx.setp.ne.32"},
    {"setp.eq.b32", "=ii", "ptx.setp.eq.32"},
    {"setp.eq.s32", "=ii", "ptx.setp.eq.32"},
    {"setp.eq.u32", "=ii", "ptx.setp.eq.32"},
    {"mov.b32", "=i", "ptx.mov.32"},
    {"mov.u32", "=i", "ptx.mov.32"},
    {"mov.b64", "=i", "ptx.mov.64"},
    {"mov.u64", "=i", "ptx.mov.64"},
};

/// Modifiers that make no difference in a cluster of one block.
static std::string withoutSpaces(StringRef opcode) {
  std::string text = opcode.str();
  for (StringRef modifier :
       {".shared::cta", ".shared", ".release.cta", ".acquire.cta", ".uni"})
    for (size_t at; (at = text.find(modifier)) != std::string::npos;) {
      size_t end = at + modifier.size();
      if (end < text.size() && text[end] == ':')
        break; // .shared::cluster
      text.erase(at, modifier.size());
    }
  return text;
}

/// What the `*` of the pattern matches.
static std::optional<StringRef> match(StringRef pattern, StringRef opcode) {
  auto [before, after] = pattern.split('*');
  if (before.size() == pattern.size())
    return pattern == opcode ? std::optional<StringRef>("") : std::nullopt;
  if (!opcode.consume_front(before) || !opcode.consume_back(after))
    return std::nullopt;
  return opcode;
}

class Assembly::Translator {
public:
  explicit Translator(Assembly &assembly) : assembly(assembly) {}

  Error parseConstraints(const InlineAsm &inlineAsm);
  Error translate(const PtxCode &code);

private:
  Error translate(const PtxCode &code, const PtxInstruction &instruction);
  bool bind(const Form &form, const PtxInstruction &instruction, Step &step);
  bool bindList(const PtxOperand &list, bool isResult, Step &step);
  std::optional<Value> valueOf(const PtxOperand &operand);
  std::optional<int> registerOf(const PtxOperand &operand);

  Assembly &assembly;
  std::map<std::string, int> names;
};

Error Assembly::Translator::parseConstraints(const InlineAsm &inlineAsm) {
  for (const InlineAsm::ConstraintInfo &info : inlineAsm.ParseConstraints()) {
    if (info.Type == InlineAsm::isClobber)
      continue;
    if (info.isIndirect || info.isMultipleAlternative ||
        (info.Type != InlineAsm::isOutput && info.Type != InlineAsm::isInput))
      return createStringError("constraints '" +
                               inlineAsm.getConstraintString() + "'");
    if (info.Type == InlineAsm::isOutput) {
      ++assembly.outputCount;
      assembly.tiedInputs.push_back(-1);
      continue;
    }
    unsigned output = 0;
    StringRef text = info.Codes.empty() ? "" : StringRef(info.Codes[0]);
    if (!text.getAsInteger(10, output))
      assembly.tiedInputs[output] = assembly.inputCount;
    ++assembly.inputCount;
  }
  assembly.registerCount = assembly.outputCount + assembly.inputCount;
  return Error::success();
}

std::optional<int> Assembly::Translator::registerOf(const PtxOperand &operand) {
  if (operand.kind == PtxOperand::sink)
    return -1;
  if (operand.kind == PtxOperand::placeholder &&
      operand.number < assembly.outputCount + assembly.inputCount)
    return operand.number;
  if (operand.kind != PtxOperand::name || operand.text[0] == '%')
    return std::nullopt;
  auto [found, isNew] = names.emplace(operand.text, assembly.registerCount);
  if (isNew)
    ++assembly.registerCount;
  return found->second;
}

std::optional<Assembly::Value>
Assembly::Translator::valueOf(const PtxOperand &operand) {
  Value value;
  if (operand.kind == PtxOperand::integer) {
    value.constant = operand.number;
    return value;
  }
  std::optional<int> reg = registerOf(operand);
  if (!reg || *reg < 0)
    return std::nullopt;
  value.reg = *reg;
  return value;
}

bool Assembly::Translator::bindList(const PtxOperand &list, bool isResult,
                                    Step &step) {
  if (list.kind != PtxOperand::list)
    return false;
  for (const PtxOperand &part : list.parts) {
    std::optional<Value> value = valueOf(part);
    if (!value || (isResult && value->reg < 0))
      return false;
    step.args.push_back(*value);
    if (isResult)
      step.results.push_back(value->reg);
  }
  return true;
}

/// Whether the operands of the instruction have the form.
bool Assembly::Translator::bind(const Form &form,
                                const PtxInstruction &instruction, Step &step) {
  // Addresses and pairs are flat lists of their parts, each with the character
  // that asks for it.
  SmallVector<std::pair<char, const PtxOperand *>> parts;
  for (const PtxOperand &operand : instruction.operands) {
    bool isFlat =
        operand.kind == PtxOperand::address || operand.kind == PtxOperand::pair;
    if (operand.kind == PtxOperand::address)
      parts.push_back({'[', nullptr});
    if (!isFlat)
      parts.push_back({0, &operand});
    for (const PtxOperand &part : operand.parts)
      if (isFlat)
        parts.push_back({0, &part});
  }
  if (parts.size() != form.operands.size())
    return false;
  for (auto [part, wanted] : zip_equal(parts, form.operands)) {
    auto [kind, operand] = part;
    if ((kind == '[') != (wanted == '['))
      return false;
    if (wanted == '[')
      continue;
    if (wanted == '+' || wanted == ',') {
      if (!bindList(*operand, wanted == '+', step))
        return false;
    } else if (wanted == 'i') {
      std::optional<Value> value = valueOf(*operand);
      if (!value)
        return false;
      step.args.push_back(*value);
    } else {
      std::optional<int> reg = registerOf(*operand);
      if (!reg)
        return false;
      step.results.push_back(*reg);
    }
  }
  return true;
}

/// The numbers of operands must fit the kind of a wgmma.
static bool isValidProduct(StringRef operation, size_t args, size_t results) {
  bool isShared = operation.consume_front("ptx.wgmma.ss.");
  if (!isShared && !operation.consume_front("ptx.wgmma.rs."))
    return true;
  auto kind = parseProductKind(operation.str());
  return kind && results == kind->registers() &&
         args == results + (isShared ? 7 : 9);
}

Error Assembly::Translator::translate(const PtxCode &code,
                                      const PtxInstruction &instruction) {
  Step step;
  if (instruction.guard) {
    std::optional<int> reg = registerOf(*instruction.guard);
    if (!reg || *reg < 0)
      return createStringError("the guard of instruction '" +
                               instruction.opcode + "'");
    step.guard = *reg;
    step.isNegated = instruction.isNegated;
  }
  std::string opcode = withoutSpaces(instruction.opcode);
  if (opcode == "bra" && instruction.operands.size() == 1) {
    auto label = code.labels.find(instruction.operands[0].text);
    if (label == code.labels.end())
      return createStringError("a branch to an unknown label");
    step.target = label->second;
    assembly.steps.push_back(std::move(step));
    return Error::success();
  }
  for (const Form &form : forms) {
    std::optional<StringRef> rest = match(form.opcode, opcode);
    Step bound = step;
    if (!rest || !bind(form, instruction, bound))
      continue;
    auto [before, after] = form.operation.split('*');
    std::string operation = (before + *rest + after).str();
    if (!isValidProduct(operation, bound.args.size(), bound.results.size()))
      continue;
    bound.operation = findOperation(operation);
    assembly.steps.push_back(std::move(bound));
    return Error::success();
  }
  return createStringError("instruction '" + instruction.opcode +
                           "' with these operands");
}

Error Assembly::Translator::translate(const PtxCode &code) {
  for (const PtxInstruction &instruction : code.instructions)
    if (Error error = translate(code, instruction))
      return error;
  return Error::success();
}

Expected<Assembly> Assembly::create(const InlineAsm &inlineAsm, uint32_t site) {
  Assembly assembly;
  assembly.site = site;
  Expected<PtxCode> code = parsePtx(inlineAsm.getAsmString());
  if (!code)
    return code.takeError();
  Translator translator(assembly);
  if (Error error = translator.parseConstraints(inlineAsm))
    return std::move(error);
  if (Error error = translator.translate(*code))
    return std::move(error);
  return assembly;
}

void Assembly::execute(Machine &machine, const uint64_t *inputs,
                       uint64_t *outputs) {
  // Registers that are not written hold NaNs.
  std::vector<uint64_t> registers(registerCount, ~uint64_t(0));
  std::copy(inputs, inputs + inputCount, registers.begin() + outputCount);
  for (unsigned i = 0; i < outputCount; ++i)
    if (tiedInputs[i] >= 0)
      registers[i] = inputs[tiedInputs[i]];
  std::vector<uint64_t> args, results;
  for (size_t next = 0; next < steps.size();) {
    const Step &step = steps[next];
    uint32_t stepSite = site + next++;
    if (step.guard >= 0 && (registers[step.guard] & 1) == step.isNegated)
      continue;
    if (step.target >= 0) {
      next = step.target;
      continue;
    }
    args.clear();
    for (const Value &value : step.args)
      args.push_back(value.reg < 0 ? value.constant : registers[value.reg]);
    // Operations may write a result that the instruction does not have.
    results.assign(step.results.size() + 1, 0);
    machine.execute({&step.operation, stepSite, args.data(), results.data()});
    for (size_t i = 0; i < step.results.size(); ++i)
      if (step.results[i] >= 0)
        registers[step.results[i]] = results[i];
  }
  for (unsigned i = 0; i < outputCount; ++i)
    outputs[i] = machine.products.tie(machine, registers[i]);
}
