//===- TensorPieces.cpp - Pieces of tensors, and tensors behind each other ===//

#include "Tensor/TensorChecker.h"

#include "attnc/Spec/Print.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace attnc::spec {

TensorPtr TensorChecker::slice(const TensorPtr &x, unsigned axis,
                               int64_t offset, const ExprPtr &size,
                               SMRange range) {
  auto tensor = std::make_shared<Tensor>();
  tensor->kind = Tensor::Slice;
  tensor->dtype = x->dtype;
  tensor->axes = x->axes;
  tensor->axes[axis] = size;
  tensor->operands = {x};
  tensor->labels = lettersFrom('a', x->axes.size());
  tensor->along = tensor->labels[axis];
  tensor->offset = offset;
  tensor->range = range;
  return tensor;
}

/// The last axis as two, or the last two as one.
TensorPtr TensorChecker::splitLast(const TensorPtr &x, const ExprPtr &slow,
                                   const ExprPtr &fast, SMRange range) {
  Axes axes(x->axes.begin(), x->axes.end() - 1);
  std::string front = lettersFrom('a', axes.size());
  axes.push_back(slow);
  axes.push_back(fast);
  return view(front + "(yz)->" + front + "yz", std::move(axes), x, range);
}

TensorPtr TensorChecker::mergeLast(const TensorPtr &x, const ExprPtr &size,
                                   SMRange range) {
  Axes axes(x->axes.begin(), x->axes.end() - 2);
  std::string front = lettersFrom('a', axes.size());
  axes.push_back(size);
  return view(front + "yz->" + front + "(yz)", std::move(axes), x, range);
}

/// The pieces of split(X, n1, n2, ...); none after an error.
std::vector<TensorPtr> TensorChecker::split(const Node &node) {
  const FunctionInfo &function = *findFunction("split");
  Checker binder(spec, report, use, Scope::ofSizes(what));
  std::vector<const Node *> bound;
  if (!binder.bind(node, function, bound))
    return {};
  bool perHead = false;
  if (bound[2]) {
    Checker checker(spec, report, use, Scope::ofSizes("split"));
    ExprPtr flag =
        checker.check(*bound[2], Type::Bool, "'per_head' of 'split'");
    if (!flag)
      return {};
    perHead = flag->boolean;
    bound.erase(bound.begin() + 2);
  } else {
    bound.erase(bound.begin() + 2);
  }
  TensorPtr x = visitTensor(*bound[0]);
  std::vector<ExprPtr> sizes;
  int64_t total = 0;
  for (const Node *child : drop_begin(bound)) {
    ExprPtr size = countArgument(child, "", node.headRange);
    std::optional<int64_t> number;
    if (size)
      number = shapes.number(size);
    if (size && !number)
      report.error(Message::Unsupported, child->range,
                   {"a piece whose size is only known at run time"});
    if (!number)
      return {};
    sizes.push_back(size);
    total += *number;
  }
  if (!x)
    return {};
  std::optional<int64_t> width =
      x->axes.empty() ? std::nullopt : shapes.number(x->axes.back());
  bool fits = width && (perHead ? *width % total == 0 : *width == total);
  if (!fits) {
    auto &error =
        report.error(Message::SplitSizes, node.range,
                     {textOfNode(*bound[0]), shapeText(x),
                      perHead ? "a multiple of " : "", std::to_string(total)});
    // torch.chunk(x, n) counts pieces.
    bool isCount = width && sizes.size() == 1 && *width % total == 0 &&
                   total <= 16 && !perHead;
    if (isCount) {
      std::string piece = ", " + std::to_string(*width / total);
      std::string pieces;
      for (int64_t i = 0; i < total; ++i)
        pieces += piece;
      error.fix("split(" + textOfNode(*bound[0]) + pieces + ")");
    }
    noteInputs(error, {x.get()});
    return {};
  }
  ExprPtr groups = makeInt(*width / total);
  if (perHead)
    x = splitLast(x, groups, makeInt(total), node.range);
  std::vector<TensorPtr> pieces;
  int64_t offset = 0;
  for (const ExprPtr &size : sizes) {
    TensorPtr piece = slice(x, x->axes.size() - 1, offset, size, node.range);
    offset += *shapes.number(size);
    if (perHead)
      piece = mergeLast(piece, shapes.product(groups, size), node.range);
    pieces.push_back(piece);
  }
  return pieces;
}

/// What split(...) is where one tensor is meant.
TensorPtr TensorChecker::onlyPiece(const Node &node) {
  std::vector<TensorPtr> pieces = split(node);
  if (pieces.size() == 1)
    return pieces[0];
  if (!pieces.empty())
    report
        .error(Message::NamesAndPieces, node.range,
               {"1", std::to_string(pieces.size())})
        .note("for example  Q, K, V: split(X, n1, n2, n3)");
  return nullptr;
}

/// The piece of an entry `Q, K, V: split(...)` that a name stands for.
TensorChecker::Value TensorChecker::visitPart(Definition &definition,
                                              const Node &node) {
  Definition &whole = use.groups[definition.group];
  auto [found, isNew] = knownParts.try_emplace(definition.group);
  if (whole.active) {
    report.error(Message::Recursion, node.range, {node.name});
    return {};
  }
  if (isNew && whole.body) {
    whole.active = true;
    Environment none;
    std::swap(environment, none);
    const Node &body = *whole.body;
    std::vector<TensorPtr> pieces;
    size_t names = StringRef(definition.group).count(',') + 1;
    bool isSplit = body.kind == Node::Call && body.name == "split";
    if (isSplit)
      pieces = split(body);
    std::swap(environment, none);
    whole.active = false;
    if (!isSplit || (!pieces.empty() && pieces.size() != names)) {
      report
          .error(Message::NamesAndPieces, whole.range,
                 {std::to_string(names),
                  isSplit ? std::to_string(pieces.size()) : std::string("1")})
          .note("for example  Q, K, V: split(X, n1, n2, n3)");
      pieces.clear();
    }
    knownParts[definition.group] = std::move(pieces);
  }
  const std::vector<TensorPtr> &pieces = knownParts[definition.group];
  if (pieces.empty())
    return {};
  return {pieces[definition.part], nullptr};
}

//===----------------------------------------------------------------------===//
// concat
//===----------------------------------------------------------------------===//

/// The parts along axis `along[i]` of each; the result has the other axes of
/// the part that has most of them.
TensorPtr TensorChecker::concatAlong(std::vector<TensorPtr> parts,
                                     ArrayRef<unsigned> along,
                                     const ExprPtr &size, const Node &node) {
  auto others = [&](size_t part) {
    Axes axes = parts[part]->axes;
    axes.erase(axes.begin() + along[part]);
    return axes;
  };
  size_t most = 0;
  for (size_t part = 1; part < parts.size(); ++part)
    if (parts[part]->axes.size() > parts[most]->axes.size())
      most = part;
  Axes all = others(most);
  std::string letters = lettersFrom('a', all.size()), labels;
  for (size_t part = 0; part < parts.size(); ++part) {
    auto places = shapes.embed(others(part), all);
    if (!places) {
      auto &error = report.error(
          Message::TensorShapes, node.range,
          {"concat", shapeText(parts[most]), shapeText(parts[part])});
      error.note("apart from the concatenated axis, the axes of one "
                 "tensor must be a subsequence of those of the other");
      noteInputs(error, {parts[most].get(), parts[part].get()});
      return nullptr;
    }
    std::string own;
    for (unsigned place : *places)
      own += letters[place];
    own.insert(along[part], 1, 'z');
    labels += (part ? "," : "") + own;
  }
  auto tensor = std::make_shared<Tensor>();
  tensor->kind = Tensor::Concat;
  tensor->dtype = commonType(parts);
  all.insert(all.begin() + along[most], size);
  letters.insert(along[most], 1, 'z');
  for (TensorPtr &part : parts)
    if (part->dtype != tensor->dtype)
      part = mapOver(part->axes, makeElement(0, Type::Real, part->range),
                     {part}, part->range, tensor->dtype);
  tensor->axes = std::move(all);
  tensor->operands = std::move(parts);
  tensor->labels = labels + "->" + letters;
  tensor->along = 'z';
  tensor->range = node.range;
  return tensor;
}

/// The number of axes from the one that is called `name` to the last, in the
/// first part that has it; without a name 1.
std::optional<size_t> TensorChecker::axesFrom(const ExprPtr &name,
                                              ArrayRef<TensorPtr> parts) const {
  if (!name)
    return 1;
  for (const TensorPtr &part : parts)
    if (auto found = shapes.embed({name}, part->axes))
      return part->axes.size() - found->front();
  return std::nullopt;
}

/// The sum of sizes: a number, or the name of a size that is it, where there is
/// one.
ExprPtr TensorChecker::sumOfSizes(ArrayRef<ExprPtr> sizes, SMRange range) {
  ExprPtr sum = sizes.front();
  for (const ExprPtr &size : sizes.drop_front())
    sum = makeApply(Op::Add, Type::Int, {sum, size}, range);
  if (std::optional<int64_t> number = shapes.number(sum))
    return makeInt(*number, range);
  for (unsigned index = 0; index < spec.sizes.size(); ++index)
    if (shapes.isSame(sum, makeSize(index)))
      return makeSize(index, range);
  return sum;
}

TensorPtr TensorChecker::concat(const Node &node,
                                ArrayRef<const Node *> bound) {
  const Node *axis = bound[2]; // the parts stand around it
  auto isWord = [&](StringRef word) {
    return axis && axis->kind == Node::Name && axis->name == word;
  };
  ExprPtr name;
  if (axis && !isWord("last") && !isWord("rows")) {
    name = countArgument(axis, "", node.headRange);
    if (!name)
      return nullptr;
  }
  std::vector<TensorPtr> parts;
  SmallVector<const Node *> places;
  for (auto [i, child] : enumerate(bound)) {
    if (i == 2)
      continue;
    TensorPtr part = visitTensor(*child);
    if (part)
      part = asReal(part);
    if (!part)
      return nullptr;
    parts.push_back(part);
    places.push_back(child);
  }
  std::optional<size_t> behind = axesFrom(name, parts);
  if (isWord("rows"))
    behind = 2;
  if (!behind) {
    report.error(Message::BadArgument, axis->range,
                 {"'axis' of 'concat'",
                  "last, rows or an axis of " + shapeText(parts[0])});
    return nullptr;
  }
  SmallVector<unsigned> along;
  std::vector<ExprPtr> sizes;
  for (auto [part, place] : zip_equal(parts, places)) {
    size_t rank = part->axes.size();
    if (rank < *behind) {
      report.error(Message::NeedsAxes, place->range,
                   {"concat", *behind == 1
                                  ? "one axis"
                                  : std::to_string(*behind) + " axes"});
      return nullptr;
    }
    along.push_back(rank - *behind);
    sizes.push_back(part->axes[along.back()]);
  }
  return concatAlong(std::move(parts), along, sumOfSizes(sizes, node.range),
                     node);
}

} // namespace attnc::spec
