//===- ProductTree.cpp - Nested matrix products as one sum ----------------===//
//
// The walk goes from the root up. What a value's axes are called is known when
// it is reached: a product gives names to the axes that it sums over, a view
// may find that an axis which has one name above is several axes below. Such a
// name is split, for all tensors at once.
//
//===----------------------------------------------------------------------===//

#include "attnc/Analysis/Product/ProductTree.h"

#include "Kernel/KeyAxes.h"
#include "Product/ProductLeaves.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace attnc;

static LetterSet lettersOf(const ProductAxes &axes) {
  LetterSet set = 0;
  for (const ProductAxis &axis : axes)
    for (unsigned letter : axis)
      set |= LetterSet(1) << letter;
  return set;
}

LetterSet ProductLeaf::letters() const { return lettersOf(axes); }

LetterSet ProductTree::outputLetters() const { return lettersOf(output); }

Type attnc::widerType(Type a, Type b) {
  if (a == b)
    return a;
  unsigned bits =
      std::max(a.getIntOrFloatBitWidth(), b.getIntOrFloatBitWidth());
  if (bits == 64)
    return Float64Type::get(a.getContext());
  return Float32Type::get(a.getContext()); // also of f16 and bf16
}

namespace {
class Flattener {
public:
  explicit Flattener(ProductPlace place) : place(place) {}
  std::optional<ProductTree> run(attn::ContractOp root);

private:
  unsigned visit(Value value, ProductAxes axes);
  std::optional<unsigned> visitProduct(attn::ContractOp op,
                                       const ProductAxes &out);
  unsigned addLeaf(Value value, const ProductAxes &axes);
  std::optional<ProductAxes> axesOfSource(attn::ViewOp view,
                                          const ProductAxes &axes);
  std::optional<SmallVector<ProductAxis>> splitAxis(const ProductAxis &axis,
                                                    ArrayRef<Attribute> parts,
                                                    StringRef names);
  unsigned addLetter(Attribute size, char name);
  ProductAxis expand(const ProductAxis &axis) const;
  ProductAxes expand(const ProductAxes &axes) const;
  void finish();
  void findApart(attn::NormalizeOp norm);

  static constexpr unsigned kMostLetters = 64;
  static constexpr unsigned kStep = 1u << 16; // numbers of steps while walking

  ProductPlace place;
  ProductTree tree;
  struct Step {
    unsigned lhs, rhs;
    ProductAxes out;
  };
  SmallVector<Step> steps;
  SmallVector<ProductAxes> boundAxes;          // of each leaf
  SmallVector<SmallVector<unsigned, 2>> parts; // of a letter that was split
  bool hasFailed = false;
};
} // namespace

unsigned Flattener::addLetter(Attribute size, char name) {
  if (!size || tree.sizes.size() == kMostLetters) {
    hasFailed = true;
    return 0;
  }
  tree.sizes.push_back(size);
  tree.names.push_back(name);
  parts.emplace_back();
  return tree.sizes.size() - 1;
}

/// In letters that are not split any more.
ProductAxis Flattener::expand(const ProductAxis &axis) const {
  ProductAxis expanded;
  for (unsigned letter : axis) {
    if (parts[letter].empty())
      expanded.push_back(letter);
    else
      llvm::append_range(expanded, expand(ProductAxis(parts[letter])));
  }
  return expanded;
}

ProductAxes Flattener::expand(const ProductAxes &axes) const {
  ProductAxes expanded;
  for (const ProductAxis &axis : axes)
    expanded.push_back(expand(axis));
  return expanded;
}

unsigned Flattener::addLeaf(Value value, const ProductAxes &axes) {
  tree.leaves.push_back(describeLeaf(value));
  tree.leaves.back().axes = axes;
  boundAxes.emplace_back();
  return tree.leaves.size() - 1;
}

/// An axis as parts of these sizes, or nothing if it has other parts already.
std::optional<SmallVector<ProductAxis>>
Flattener::splitAxis(const ProductAxis &axis, ArrayRef<Attribute> sizes,
                     StringRef names) {
  ProductAxis whole = expand(axis);
  SmallVector<ProductAxis> split;
  if (sizes.size() == 1)
    return SmallVector<ProductAxis>{whole};
  if (whole.size() == 1) {
    SmallVector<unsigned, 2> made;
    for (auto [size, name] : llvm::zip_equal(sizes, names)) {
      made.push_back(addLetter(size, name));
      split.push_back({made.back()});
    }
    parts[whole[0]] = made;
    return split;
  }
  if (whole.size() != sizes.size())
    return std::nullopt;
  for (auto [letter, size] : llvm::zip_equal(whole, sizes)) {
    if (tree.sizes[letter] != size)
      return std::nullopt;
    split.push_back({letter});
  }
  return split;
}

/// The axes of a view's source, if those of its result are called `axes`.
std::optional<ProductAxes> Flattener::axesOfSource(attn::ViewOp view,
                                                   const ProductAxes &axes) {
  attn::ViewLabels labels = view.getViewLabels();
  llvm::SmallDenseMap<char, Attribute> sizes;
  for (auto [axis, group] : llvm::enumerate(labels.input))
    if (group.size() == 1)
      sizes[group[0]] = attn::axisSize(view.getSource().getType(), axis);
  llvm::SmallDenseMap<char, ProductAxis> named;
  for (auto [group, axis] : llvm::zip_equal(labels.output, axes)) {
    SmallVector<Attribute> ofGroup;
    for (char letter : group)
      ofGroup.push_back(sizes.lookup(letter));
    if (group.size() > 1 && llvm::is_contained(ofGroup, Attribute()))
      return std::nullopt;
    auto split = splitAxis(axis, ofGroup, group);
    if (!split)
      return std::nullopt;
    for (auto [letter, part] : llvm::zip_equal(group, *split))
      named[letter] = part;
  }
  ProductAxes source;
  for (StringRef group : labels.input) {
    ProductAxis &axis = source.emplace_back();
    for (char letter : group)
      llvm::append_range(axis, named[letter]);
  }
  return source;
}

unsigned Flattener::visit(Value value, ProductAxes axes) {
  // What ends in a leaf stays as it is, its views included.
  if (!leadsToProduct(value, place.ignored))
    return addLeaf(value, axes);
  Operation *op = value.getDefiningOp();
  if (auto product = dyn_cast<attn::ContractOp>(op)) {
    if (auto step = visitProduct(product, axes))
      return *step;
    return addLeaf(value, axes);
  }
  if (auto view = dyn_cast<attn::ViewOp>(op)) {
    auto source = axesOfSource(view, axes);
    if (!source)
      return addLeaf(value, axes);
    tree.ops.push_back(op);
    return visit(view.getSource(), *source);
  }
  auto map = cast<attn::MapOp>(op);
  attn::Labels labels = map.getAxisLabels();
  ProductAxes source;
  for (char letter : labels.inputs[0])
    source.push_back(axes[*attn::axisOf(labels.output, letter)]);
  tree.scale *= *getConstantFactor(map);
  tree.ops.push_back(op);
  return visit(map.getInputs()[0], source);
}

/// The letter of a mask's places must be letters of one operand; it is then a
/// part of that operand, which must be a leaf.
static std::optional<unsigned> ownerOfMask(attn::ContractOp op,
                                           ArrayRef<Operation *> ignored) {
  attn::Labels labels = op.getAxisLabels();
  StringRef maskLetters = *op.getMaskLabels();
  for (unsigned side : {0, 1}) {
    Value operand = side ? op.getRhs() : op.getLhs();
    bool hasAll = llvm::all_of(maskLetters, [&](char letter) {
      return labels.inputs[side].contains(letter);
    });
    if (hasAll && !leadsToProduct(operand, ignored))
      return side;
  }
  return std::nullopt;
}

/// The number of the step, or nothing if the product is a leaf.
std::optional<unsigned> Flattener::visitProduct(attn::ContractOp op,
                                                const ProductAxes &out) {
  std::optional<unsigned> owner;
  if (op.getMask() && !(owner = ownerOfMask(op, place.ignored)))
    return std::nullopt;
  attn::Labels labels = op.getAxisLabels();
  llvm::SmallDenseMap<char, ProductAxis> named;
  for (auto [letter, axis] : llvm::zip_equal(labels.output, out))
    named[letter] = axis;
  Value operands[] = {op.getLhs(), op.getRhs()};
  SmallVector<char> summed;
  for (unsigned side : {0, 1})
    for (auto [axis, letter] : llvm::enumerate(labels.inputs[side]))
      if (!named.count(letter)) {
        summed.push_back(letter);
        Attribute size = attn::axisSize(operands[side].getType(), axis);
        named[letter] = {addLetter(size, letter)};
      }
  tree.ops.push_back(op);
  unsigned numbers[2];
  for (unsigned side : {0, 1}) {
    ProductAxes axes;
    for (char letter : labels.inputs[side])
      axes.push_back(named[letter]);
    numbers[side] = visit(operands[side], axes);
    if (numbers[side] >= kStep)
      continue;
    ProductLeaf &leaf = tree.leaves[numbers[side]];
    bool isOwner = owner == side;
    if (isOwner) {
      leaf.mask = op.getMask();
      StringRef maskLetters = *op.getMaskLabels();
      for (char letter : maskLetters)
        leaf.maskAxes.push_back(named[letter]);
    }
    if (isOwner || !leaf.isStored)
      for (char letter : summed)
        if (labels.inputs[side].contains(letter))
          boundAxes[numbers[side]].push_back(named[letter]);
  }
  steps.push_back({numbers[0], numbers[1], out});
  return kStep + steps.size() - 1;
}

void Flattener::finish() {
  unsigned leaves = tree.leaves.size();
  for (auto [leaf, bound] : llvm::zip_equal(tree.leaves, boundAxes)) {
    leaf.axes = expand(leaf.axes);
    leaf.maskAxes = expand(leaf.maskAxes);
    leaf.bound = lettersOf(expand(bound));
    tree.elementType = tree.elementType
                           ? widerType(tree.elementType, leaf.elementType())
                           : leaf.elementType();
  }
  for (Operation *op : tree.ops)
    if (op != tree.root)
      tree.elementType =
          widerType(tree.elementType, getElementTypeOrSelf(op->getResult(0)));
  // Sums of products of sums may leave the range of f16.
  if (tree.elementType.isF16())
    tree.elementType = Float32Type::get(tree.elementType.getContext());
  auto number = [&](unsigned n) { return n < kStep ? n : leaves + n - kStep; };
  for (Step &step : steps)
    tree.written.push_back(
        {number(step.lhs), number(step.rhs), lettersOf(expand(step.out))});
  if (tree.key) {
    ProductAxis key = expand(ProductAxis{*tree.key});
    tree.key = key.front(); // all of them are on one side, or none
  }
  tree.output = expand(tree.output);
}

/// What the kernel's other product says of heads.
void Flattener::findApart(attn::NormalizeOp norm) {
  if (!norm)
    return;
  KeyAxes keys(norm);
  auto add = [&](const AxisLetters &letters, ArrayRef<ProductAxis> axes) {
    if (letters.size() != axes.size())
      return;
    for (auto [of, axis] : llvm::zip_equal(letters, axes))
      if (llvm::any_of(of, [&](char c) { return keys.get().count(c); }))
        tree.apart |= lettersOf(ProductAxes{axis});
  };
  if (tree.key)
    add(keys.lettersOf(place.readers ? place.readers : tree.root), tree.output);
  for (const ProductLeaf &leaf : tree.leaves)
    if (!leaf.isStored && normalizerOf(leaf.tensor) == norm)
      add(keys.lettersOf(leaf.tensor), leaf.axes);
}

std::optional<ProductTree> Flattener::run(attn::ContractOp root) {
  tree.root = root;
  StringRef letters = root.getAxisLabels().output;
  for (auto [axis, letter] : llvm::enumerate(letters))
    tree.output.push_back(
        {addLetter(attn::axisSize(root.getType(), axis), letter)});
  if (auto over = findNormalizedAxis(
          (place.readers ? place.readers : root).getResult())) {
    tree.isStored = false;
    tree.key = *over;
  }
  if (!visitProduct(root, ProductAxes(tree.output)) || hasFailed)
    return std::nullopt;
  finish();
  if (tree.key)
    findApart(
        findNormalizer((place.readers ? place.readers : root).getResult()));
  for (const ProductLeaf &leaf : tree.leaves)
    if (!leaf.isStored)
      findApart(normalizerOf(leaf.tensor));
  return std::move(tree);
}

std::optional<ProductTree> attnc::flattenProducts(attn::ContractOp root,
                                                  ProductPlace place) {
  return Flattener(place).run(root);
}
