// RUN: attnc-opt %s --split-input-file --verify-diagnostics

func.func @unpack_c1(%q: tensor<7x2xf32>, %start: tensor<3xi32>) {
  // expected-error @below {{'attn.unpack' op needs one axis more for rows of each sequence than for rows of all, and one element type; got 'tensor<2x7xf32>' and 'tensor<7x2xf32>'}}
  %0 = attn.unpack %q by %start : tensor<7x2xf32>, tensor<3xi32> -> tensor<2x7xf32>
  return
}

// -----

func.func @unpack_c2(%q: tensor<7x2xf32>, %start: tensor<3x1xi32>) {
  // expected-error @below {{'attn.unpack' op needs one axis of starts, got 2}}
  %0 = attn.unpack %q by %start : tensor<7x2xf32>, tensor<3x1xi32> -> tensor<2x7x2xf32>
  return
}

// -----

func.func @unpack_c3(%q: tensor<7x2xf32>, %start: tensor<3xi32>) {
  // expected-error @below {{'attn.unpack' op axis 1 of 'tensor<2x6x2xf32>' is not axis 0 of 'tensor<7x2xf32>'}}
  %0 = attn.unpack %q by %start : tensor<7x2xf32>, tensor<3xi32> -> tensor<2x6x2xf32>
  return
}

// -----

func.func @pack_c1(%o: tensor<2x7x2xf32>, %start: tensor<3xi32>) {
  // expected-error @below {{'attn.pack' op needs one axis more for rows of each sequence than for rows of all, and one element type; got 'tensor<2x7x2xf32>' and 'tensor<7x2xf16>'}}
  %0 = attn.pack %o by %start : tensor<2x7x2xf32>, tensor<3xi32> -> tensor<7x2xf16>
  return
}

// -----

func.func @pack_c2(%o: tensor<2x7x2xf32>, %start: tensor<i32>) {
  // expected-error @below {{'attn.pack' op needs one axis of starts, got 0}}
  %0 = attn.pack %o by %start : tensor<2x7x2xf32>, tensor<i32> -> tensor<7x2xf32>
  return
}

// -----

func.func @pack_c3(%o: tensor<2x7x2xf32>, %start: tensor<3xi32>) {
  // expected-error @below {{'attn.pack' op axis 2 of 'tensor<2x7x2xf32>' is not axis 1 of 'tensor<7x3xf32>'}}
  %0 = attn.pack %o by %start : tensor<2x7x2xf32>, tensor<3xi32> -> tensor<7x3xf32>
  return
}

// -----

func.func @pages_c1(%k: tensor<5x4x2xf32>, %table: tensor<2x3xi32>) {
  // expected-error @below {{'attn.pages' op needs as many axes of rows of sequences as of pages, at least two, and one element type; got 'tensor<2x12xf32>' and 'tensor<5x4x2xf32>'}}
  %0 = attn.pages %k by %table : tensor<5x4x2xf32>, tensor<2x3xi32> -> tensor<2x12xf32>
  return
}

// -----

func.func @pages_c2(%k: tensor<5x?x2xf32>, %table: tensor<2x3xi32>) {
  // expected-error @below {{'attn.pages' op needs a table of two axes and pages of a fixed number of rows, got 'tensor<2x3xi32>' and 'tensor<5x?x2xf32>'}}
  %0 = attn.pages %k by %table : tensor<5x?x2xf32>, tensor<2x3xi32> -> tensor<2x12x2xf32>
  return
}

// -----

func.func @pages_c3(%k: tensor<5x4x2xf32>, %table: tensor<2x3xi32>) {
  // expected-error @below {{'attn.pages' op axis 2 of 'tensor<2x12x3xf32>' is not axis 2 of 'tensor<5x4x2xf32>'}}
  %0 = attn.pages %k by %table : tensor<5x4x2xf32>, tensor<2x3xi32> -> tensor<2x12x3xf32>
  return
}

// -----

func.func @place_c1(%p: tensor<7xf32>, %start: tensor<3xi32>) {
  // expected-error @below {{'attn.place' op needs an axis of sequences and one of keys, got 'tensor<7xf32>'}}
  %0 = attn.place %p by %start fill 0.0 : tensor<7xf32>, tensor<3xi32>
  return
}

// -----

func.func @place_c2(%p: tensor<2x7xf32>, %start: tensor<3x1xi32>) {
  // expected-error @below {{'attn.place' op needs one axis of starts, got 2}}
  %0 = attn.place %p by %start fill 0.0 : tensor<2x7xf32>, tensor<3x1xi32>
  return
}
