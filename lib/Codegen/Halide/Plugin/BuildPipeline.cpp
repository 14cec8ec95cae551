//===- BuildPipeline.cpp - Definitions as Halide sees them ----------------===//

#include "Plugin/BuildPipeline.h"

#include "Plugin/TrimLoops.h"

using Halide::Internal::Cast;

namespace attnc::halide {

Halide::Type PipelineBuilder::typeOf(ScalarType type) const {
  if (isDevice && type.isFloat() && type.bits == 16)
    return Halide::UInt(16);
  switch (type.kind) {
  case Kind::Bool:
    return Halide::Bool();
  case Kind::Int:
    return Halide::Int(type.bits);
  case Kind::UInt:
    return Halide::UInt(type.bits);
  case Kind::Float:
    return Halide::Float(type.bits);
  case Kind::BFloat:
    return Halide::BFloat(type.bits);
  }
  return {};
}

/// Bytes hold booleans.
Halide::Type PipelineBuilder::storedType(ScalarType type) const {
  return type.kind == Kind::Bool ? Halide::UInt(8) : typeOf(type);
}

static std::string domainOf(const std::string &variable) {
  return variable.substr(0, variable.find('.'));
}

const Halide::RDom &PipelineBuilder::domain(const std::string &name) {
  if (auto found = domains.find(name); found != domains.end())
    return found->second;
  for (const Domain &one : pipeline.domains) {
    if (one.name != name)
      continue;
    Halide::Region region;
    for (const Domain::Dim &dim : one.dims)
      region.push_back({expr(dim.min), expr(dim.extent)});
    Halide::RDom made(region, name);
    for (unsigned i = 0; i < one.dims.size(); ++i)
      reductionVariables.emplace(name + "." + "xyzw"[i], made[i]);
    Halide::RDom &kept = domains.emplace(name, made).first->second;
    for (int condition : one.where)
      kept.where(expr(condition));
    return kept;
  }
  throw Halide::InternalError("no domain " + name);
}

Halide::Expr PipelineBuilder::variable(const std::string &name) {
  if (name.find('.') == std::string::npos)
    return Halide::Var(name);
  domain(domainOf(name));
  return reductionVariables.at(name);
}

std::vector<Halide::Expr>
PipelineBuilder::exprs(const std::vector<int> &numbers) {
  std::vector<Halide::Expr> list;
  for (int number : numbers)
    list.push_back(expr(number));
  return list;
}

Halide::Expr PipelineBuilder::expr(int number) {
  if (auto found = made.find(number); found != made.end())
    return found->second;
  Halide::Expr result = makeExpr(pipeline.exprs[number]);
  made.emplace(number, result);
  return result;
}

Halide::Expr PipelineBuilder::constant(const Expr &node) const {
  Halide::Type type = typeOf(node.type);
  if (node.type.isFloat())
    return Halide::Internal::make_const(type, node.real);
  if (node.type.kind == Kind::Bool)
    return Halide::Internal::make_bool(node.integer != 0);
  return Halide::Internal::make_const(type, node.integer);
}

Halide::Expr PipelineBuilder::strideOf(const std::string &name, int axis) {
  if (auto found = buffers.find(name); found != buffers.end())
    return found->second.dim(axis).stride();
  return functions.at(name).output_buffer().dim(axis).stride();
}

Halide::Expr PipelineBuilder::makeExpr(const Expr &node) {
  switch (node.op) {
  case Op::Constant:
    return constant(node);
  case Op::Variable:
    return variable(node.name);
  case Op::Parameter:
    return parameters.at(node.name);
  case Op::Read: {
    Halide::ImageParam &buffer = buffers.at(node.name);
    Halide::Expr value = buffer(exprs(node.operands));
    return node.type.kind == Kind::Bool ? value != 0 : value;
  }
  case Op::Stride:
    return strideOf(node.name, int(node.integer));
  case Op::Call:
    return functions.at(node.name)(exprs(node.operands));
  case Op::Within:
    return makeWithin(exprs(node.operands));
  case Op::Undefined:
    return Halide::undef(storedType(node.type));
  case Op::Cast:
    return Cast::make(typeOf(node.type), expr(node.operands[0]));
  case Op::Bitcast:
    return Halide::reinterpret(typeOf(node.type), expr(node.operands[0]));
  default:
    return makeArithmetic(node);
  }
}

Halide::Expr PipelineBuilder::makeArithmetic(const Expr &node) {
  Halide::Expr a = expr(node.operands[0]), b, c;
  if (node.operands.size() > 1)
    b = expr(node.operands[1]);
  if (node.operands.size() > 2)
    c = expr(node.operands[2]);
  bool isBool = a.type().is_bool();
  switch (node.op) {
  case Op::Add:
    return a + b;
  case Op::Sub:
    return a - b;
  case Op::Mul:
    return a * b;
  case Op::Div:
    return a / b;
  case Op::Mod:
    return a % b;
  case Op::DivTrunc:
    return Halide::div_round_to_zero(a, b);
  case Op::ModTrunc:
    return Halide::mod_round_to_zero(a, b);
  case Op::Min:
    return Halide::min(a, b);
  case Op::Max:
    return Halide::max(a, b);
  case Op::And:
    return isBool ? a && b : a & b;
  case Op::Or:
    return isBool ? a || b : a | b;
  case Op::Xor:
    return isBool ? a != b : a ^ b;
  case Op::ShiftLeft:
    return a << b;
  case Op::ShiftRight:
    return a >> b;
  case Op::Equal:
    return a == b;
  case Op::Less:
    return a < b;
  case Op::LessEqual:
    return a <= b;
  case Op::Not:
    return !a;
  case Op::Select:
    return Halide::select(a, b, c);
  case Op::Likely:
    return Halide::likely(a);
  case Op::Abs:
    return Halide::abs(a);
  case Op::Sqrt:
    return Halide::sqrt(a);
  case Op::Floor:
    return Halide::floor(a);
  case Op::Ceil:
    return Halide::ceil(a);
  case Op::Trunc:
    return Halide::trunc(a);
  case Op::RoundEven:
    return Halide::round(a);
  case Op::IsNan:
    return Halide::is_nan(a);
  default:
    throw Halide::InternalError("unknown operation of a program");
  }
}

void PipelineBuilder::define(const Function &function) {
  Halide::Func made(function.name);
  functions.emplace(function.name, made);
  std::vector<Halide::Var> variables;
  for (const std::string &name : function.variables)
    variables.emplace_back(name);
  bool isFirst = true;
  for (const Definition &definition : function.definitions) {
    Halide::Expr value = expr(definition.value);
    if (isFirst)
      made(variables) = value;
    else
      made(exprs(definition.indices)) = value;
    isFirst = false;
  }
}

Halide::VarOrRVar PipelineBuilder::scheduled(const std::string &name) {
  if (name.find('.') == std::string::npos)
    return Halide::Var(name);
  if (auto found = reductionVariables.find(name);
      found != reductionVariables.end())
    return found->second;
  std::string part = name; // of another; Halide reserves the dot
  std::replace(part.begin(), part.end(), '.', '_');
  return Halide::RVar(part);
}

void PipelineBuilder::schedule(const Directive &directive) {
  if (directive.verb == "specialize") {
    Halide::Func function = functions.at(directive.function);
    Halide::Expr condition = expr(int(directive.numbers[0]));
    if (directive.stage > 0)
      function.update(directive.stage - 1).specialize(condition);
    else
      function.specialize(condition);
    return;
  }
  std::vector<Halide::VarOrRVar> variables;
  for (const std::string &name : directive.names)
    if (!functions.count(name))
      variables.push_back(scheduled(name));
  applyDirective(functions.at(directive.function), directive, variables,
                 functions);
}

/// How many axes of a tensor have 0 as their first index. On a device the last
/// axis may begin earlier (Device/slots.c).
unsigned PipelineBuilder::fixedMinima(unsigned rank) const {
  return isDevice && rank > 0 ? rank - 1 : rank;
}

Halide::Module PipelineBuilder::build(const Halide::Target &target) {
  std::vector<Halide::Argument> arguments;
  for (const Buffer &buffer : pipeline.inputs) {
    Halide::ImageParam param(storedType(buffer.type), int(buffer.rank),
                             buffer.name);
    for (unsigned i = 0; i < fixedMinima(buffer.rank); ++i)
      param.dim(int(i)).set_min(0);
    if (buffer.rank > 0)
      param.dim(0).set_stride(Halide::Expr());
    arguments.push_back(param);
    buffers.emplace(buffer.name, param);
  }
  for (const std::string &name : pipeline.parameters) {
    Halide::Param<int32_t> param(name);
    arguments.push_back(param);
    parameters.emplace(name, param);
  }
  for (const Function &function : pipeline.functions)
    define(function);
  std::vector<Halide::Func> outputs;
  for (const std::string &name : pipeline.outputs) {
    Halide::Func &output = functions.at(name);
    if (output.dimensions() > 0)
      output.output_buffer().dim(0).set_stride(Halide::Expr());
    for (unsigned i = 0; i < fixedMinima(output.dimensions()); ++i)
      output.output_buffer().dim(int(i)).set_min(0);
    outputs.push_back(output);
  }
  for (const Directive &directive : pipeline.schedule)
    schedule(directive);
  Halide::Pipeline made(outputs);
  addTrimLoops(made, hasUniformLoads);
  return made.compile_to_module(arguments, pipeline.symbol, target,
                                Halide::LinkageType::External);
}

} // namespace attnc::halide
