//===- ImportStorage.cpp - Ragged and paged tensors in the graph ----------===//
//
//   Q [query_tokens, heads, head_dim]:
//     %u = attn.unpack %Q by %start       [batch, query_tokens, heads,
//     head_dim] %q = attn.view "bq(hg)d->bhgqd" %u
//   K [pages, kv_heads, n, key_dim]:
//     %p = attn.view "phnd->pnhd" %K
//     %r = attn.pages %p by %table        [batch, kv_len, kv_heads, key_dim]
//     %k = attn.view "bkhd->bhkd" %r
//
// Of a result [batch, heads, rows, keys] a ragged axis of keys is that of all,
// too: attn.place says where a sequence's keys are.
//
// A ragged axis is as long as all rows together, which no sequence exceeds, and
// the mask ends each sequence at its own length.
// Tests: test/Import/Storage/storage.yaml
//
//===----------------------------------------------------------------------===//

#include "Storage/ImportStorage.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::import;

static Value view(OpBuilder &b, Location loc, StringRef labels, Value source,
                  ArrayRef<Attribute> sizes) {
  Type type = attn::tensorType(sizes, getElementTypeOrSelf(source));
  return attn::ViewOp::create(b, loc, type, labels, source);
}

static SmallVector<Attribute> sizesOf(Type tensor) {
  SmallVector<Attribute> sizes;
  auto type = cast<RankedTensorType>(tensor);
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    sizes.push_back(attn::axisSize(type, axis));
  return sizes;
}

/// [tokens, heads, d] as [batch, tokens, heads, d].
static Value unpack(OpBuilder &b, Location loc, Value tensor, Value start,
                    Attribute batch) {
  SmallVector<Attribute> sizes = sizesOf(tensor.getType());
  sizes.insert(sizes.begin(), batch);
  Type type = attn::tensorType(sizes, getElementTypeOrSelf(tensor));
  return attn::UnpackOp::create(b, loc, type, tensor, start);
}

Value attnc::import::denseRows(OpBuilder &b, Location loc,
                               const spec::Storage &storage, ValueRange inputs,
                               Value tensor, ArrayRef<Attribute> sizes) {
  if (storage.kind == spec::Storage::Dense)
    return tensor;
  SmallVector<Attribute> own = sizesOf(tensor.getType());
  Value table = inputs[storage.table];
  if (storage.kind == spec::Storage::Ragged) {
    tensor = unpack(b, loc, tensor, table, sizes[0]);
  } else {
    std::swap(own[1], own[2]);
    tensor = view(b, loc, "phnd->pnhd", tensor, own);
    Type type = attn::tensorType({sizes[0], sizes[2], sizes[1], sizes[3]},
                                 getElementTypeOrSelf(tensor));
    tensor = attn::PagesOp::create(b, loc, type, tensor, table);
  }
  return view(b, loc, "bkhd->bhkd", tensor, sizes);
}

Value attnc::import::placedKeys(OpBuilder &b, Location loc,
                                const spec::Storage &storage, ValueRange inputs,
                                Value tensor, double outside) {
  if (storage.kind != spec::Storage::Ragged)
    return tensor;
  return attn::PlaceOp::create(b, loc, tensor.getType(), tensor,
                               inputs[storage.table],
                               b.getF64FloatAttr(outside));
}

Value attnc::import::storedRows(OpBuilder &b, Location loc,
                                const spec::Storage &storage, ValueRange inputs,
                                Value tensor, RankedTensorType result) {
  if (storage.kind == spec::Storage::Dense)
    return tensor;
  SmallVector<Attribute> sizes = sizesOf(tensor.getType());
  std::swap(sizes[1], sizes[2]);
  Value rows = view(b, loc, sizes.size() == 4 ? "bhqe->bqhe" : "bhq->bqh",
                    tensor, sizes);
  return attn::PackOp::create(b, loc, result, rows, inputs[storage.table],
                              FloatAttr());
}

/// The tensor with its first two axes in the other order.
static Value turned(OpBuilder &b, Location loc, Value tensor) {
  SmallVector<Attribute> sizes = sizesOf(tensor.getType());
  std::swap(sizes[0], sizes[1]);
  return view(b, loc, "abd->bad", tensor, sizes);
}

Value attnc::import::rowsOfTensors(OpBuilder &b, Location loc,
                                   const spec::Storage &storage, Value tensor) {
  bool isRagged = storage.kind == spec::Storage::Ragged;
  return isRagged ? turned(b, loc, tensor) : tensor;
}

Value attnc::import::unpackedRows(OpBuilder &b, Location loc,
                                  const spec::Storage &storage,
                                  ValueRange inputs, Attribute batch,
                                  Value tensor) {
  if (storage.kind != spec::Storage::Ragged)
    return tensor;
  bool hasHeads = cast<RankedTensorType>(tensor.getType()).getRank() == 3;
  if (hasHeads)
    tensor = turned(b, loc, tensor);
  tensor = unpack(b, loc, tensor, inputs[storage.table], batch);
  if (!hasHeads)
    return tensor;
  SmallVector<Attribute> sizes = sizesOf(tensor.getType());
  std::swap(sizes[1], sizes[2]);
  return view(b, loc, "bkhd->bhkd", tensor, sizes);
}

Value attnc::import::packedRows(OpBuilder &b, Location loc,
                                const spec::Storage &storage, ValueRange inputs,
                                Value tensor) {
  if (storage.kind != spec::Storage::Ragged)
    return tensor;
  SmallVector<Attribute> sizes = sizesOf(tensor.getType());
  std::swap(sizes[1], sizes[2]);
  Value rows = view(b, loc, "bhqe->bqhe", tensor, sizes);
  Type all = attn::tensorType(ArrayRef(sizes).drop_front(),
                              getElementTypeOrSelf(tensor));
  Value packed = attn::PackOp::create(b, loc, all, rows, inputs[storage.table],
                                      b.getF64FloatAttr(0));
  return turned(b, loc, packed);
}
