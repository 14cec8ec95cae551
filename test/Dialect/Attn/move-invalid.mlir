// RUN: attnc-opt %s --split-input-file --verify-diagnostics

func.func @slice_c1(%x: tensor<2x8xf32>) {
  // expected-error @below {{'attn.slice' op 'bb' is not a list of distinct letters a-z}}
  %0 = attn.slice "bb" %x along "b" [0, 4] : tensor<2x8xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @slice_c1_rank(%x: tensor<2x8xf32>) {
  // expected-error @below {{'attn.slice' op the result has 1 axes, its labels 'bd' name 2}}
  %0 = attn.slice "bd" %x along "d" [0, 4] : tensor<2x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @slice_c2(%x: tensor<2x8xf32>) {
  // expected-error @below {{'attn.slice' op 'along' must be one letter of 'bd', got 'e'}}
  %0 = attn.slice "bd" %x along "e" [0, 4] : tensor<2x8xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @slice_c3_element(%x: tensor<2x8xf32>) {
  // expected-error @below {{'attn.slice' op moves elements of 'f32', but the result has 'f16'}}
  %0 = attn.slice "bd" %x along "d" [0, 4] : tensor<2x8xf32> -> tensor<2x4xf16>
  return
}

// -----

func.func @slice_c3(%x: tensor<2x8xf32>) {
  // expected-error @below {{'attn.slice' op axis 'b' is 1 in the result, but 2 before}}
  %0 = attn.slice "bd" %x along "d" [0, 4] : tensor<2x8xf32> -> tensor<1x4xf32>
  return
}

// -----

func.func @slice_c4(%x: tensor<2x8xf32>) {
  // expected-error @below {{'attn.slice' op takes 4 of axis 'd', its result has 3; at least 1 is expected, and the same number}}
  %0 = attn.slice "bd" %x along "d" [0, 4] : tensor<2x8xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @slice_c4_nothing(%x: tensor<2x8xf32>) {
  // expected-error @below {{'attn.slice' op takes 0 of axis 'd', its result has 0; at least 1 is expected, and the same number}}
  %0 = attn.slice "bd" %x along "d" [0, 0] : tensor<2x8xf32> -> tensor<2x0xf32>
  return
}

// -----

func.func @slice_c4_open(%x: tensor<?x8xf32>) {
  // expected-error @below {{'attn.slice' op axis 'b' of the source has no fixed size, which is needed to tell that the pieces fit}}
  %0 = attn.slice "bd" %x along "b" [0, 1] : tensor<?x8xf32> -> tensor<1x8xf32>
  return
}

// -----

func.func @slice_c5(%x: tensor<2x8xf32>) {
  // expected-error @below {{'attn.slice' op takes 6 to 6 + 3 of axis 'd', which has 8}}
  %0 = attn.slice "bd" %x along "d" [6, 3] : tensor<2x8xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @slice_c5_negative(%x: tensor<2x8xf32>) {
  // expected-error @below {{'attn.slice' op takes -1 to -1 + 3 of axis 'd', which has 8}}
  %0 = attn.slice "bd" %x along "d" [-1, 3] : tensor<2x8xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @concat_c1(%x: tensor<2x8xf32>) {
  // expected-error @below {{'attn.concat' op labels 'bd,bd->bd' name 2 parts, there are 1; at least 1 is expected}}
  %0 = attn.concat "bd,bd->bd" along "d" (%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @concat_c1_nothing() {
  // expected-error @below {{'attn.concat' op labels '->bd' name 0 parts, there are 0; at least 1 is expected}}
  %0 = attn.concat "->bd" along "d" () : () -> tensor<2x8xf32>
  return
}

// -----

func.func @concat_c2(%x: tensor<2x8xf32>) {
  // expected-error @below {{'attn.concat' op part 0 has 2 axes, its labels 'bhd' name 3}}
  %0 = attn.concat "bhd->bhd" along "d" (%x) : (tensor<2x8xf32>) -> tensor<2x1x8xf32>
  return
}

// -----

func.func @concat_c3(%x: tensor<2x8xf32>) {
  // expected-error @below {{'attn.concat' op letter 'h' of part 0 is not in the result}}
  %0 = attn.concat "hd->bd" along "d" (%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @concat_c4(%x: tensor<2x8xf32>) {
  // expected-error @below {{'attn.concat' op 'along' must be one letter of 'bd' (the result), got 'bd'}}
  %0 = attn.concat "bd->bd" along "bd" (%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @concat_c4_part(%x: tensor<2x8xf32>, %y: tensor<2xf32>) {
  // expected-error @below {{'attn.concat' op 'along' must be one letter of 'b' (part 1), got 'd'}}
  %0 = attn.concat "bd,b->bd" along "d" (%x, %y) : (tensor<2x8xf32>, tensor<2xf32>) -> tensor<2x9xf32>
  return
}

// -----

func.func @concat_c5(%x: tensor<2x8xf32>, %y: tensor<3x1xf32>) {
  // expected-error @below {{'attn.concat' op axis 'b' is 3 in part 1, but 2 before}}
  %0 = attn.concat "bd,bd->bd" along "d" (%x, %y) : (tensor<2x8xf32>, tensor<3x1xf32>) -> tensor<2x9xf32>
  return
}

// -----

func.func @concat_c6(%x: tensor<2x8xf32>, %y: tensor<2x1xf32>) {
  // expected-error @below {{'attn.concat' op axis 'd' of the result has size 8, the parts have 9 together}}
  %0 = attn.concat "bd,bd->bd" along "d" (%x, %y) : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @concat_c6_open(%x: tensor<2x8xf32>, %y: tensor<?x8xf32>) {
  // expected-error @below {{'attn.concat' op axis 'b' of part 1 is dynamic and has no name; write its size in #attn.dims}}
  %0 = attn.concat "bd,bd->bd" along "b" (%x, %y) : (tensor<2x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @concat_c6_named(%x: tensor<2x8xf32>, %y: tensor<?x8xf32, #attn.dims<n, 8>>) {
  // expected-error @below {{'attn.concat' op axis 'b' of the result has size 9, sizes of the parts are not all fixed: a name or an expression of names is expected}}
  %0 = attn.concat "bd,bd->bd" along "b" (%x, %y) : (tensor<2x8xf32>, tensor<?x8xf32, #attn.dims<n, 8>>) -> tensor<9x8xf32>
  return
}

// -----

func.func @concat_c6_result(%x: tensor<2x8xf32>, %y: tensor<?x8xf32, #attn.dims<n, 8>>) {
  // expected-error @below {{'attn.concat' op axis 'b' of the result has no name, sizes of the parts are not all fixed: a name or an expression of names is expected}}
  %0 = attn.concat "bd,bd->bd" along "b" (%x, %y) : (tensor<2x8xf32>, tensor<?x8xf32, #attn.dims<n, 8>>) -> tensor<?x8xf32>
  return
}

// -----

func.func @concat_c7(%x: tensor<2x8xf32>, %y: tensor<2x1xf16>) {
  // expected-error @below {{'attn.concat' op moves elements of 'f32', but part 1 has 'f16'}}
  %0 = attn.concat "bd,bd->bd" along "d" (%x, %y) : (tensor<2x8xf32>, tensor<2x1xf16>) -> tensor<2x9xf32>
  return
}

// -----

func.func @concat_c8(%x: tensor<8xf32>) {
  // expected-error @below {{'attn.concat' op axis 0 of the result is dynamic and has no name; write its size in #attn.dims}}
  %0 = attn.concat "d->bd" along "d" (%x) : (tensor<8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @append_c1(%c: tensor<2x9x8xf32>, %x: tensor<2x3x8xf32>, %at: tensor<2xi32>) {
  // expected-error @below {{'attn.append' op the cache has 3 axes, its labels 'bd' name 2}}
  %0 = attn.append "bd" %c, %x along "d" at "b" (%at) : tensor<2x9x8xf32>, tensor<2x3x8xf32>, tensor<2xi32> -> tensor<2x9x8xf32>
  return
}

// -----

func.func @append_c2(%c: tensor<2x9x8xf32>, %x: tensor<2x3x8xf32>, %at: tensor<3xi32>) {
  // expected-error @below {{'attn.append' op letter 's' of 'at' must be one of 'bsd' but 's'}}
  %0 = attn.append "bsd" %c, %x along "s" at "s" (%at) : tensor<2x9x8xf32>, tensor<2x3x8xf32>, tensor<3xi32> -> tensor<2x9x8xf32>
  return
}

// -----

func.func @append_c3(%c: tensor<2x9x8xf32>, %x: tensor<2x3x8xf16>, %at: tensor<2xi32>) {
  // expected-error @below {{'attn.append' op moves elements of 'f32', but 'rows' has 'f16'}}
  %0 = attn.append "bsd" %c, %x along "s" at "b" (%at) : tensor<2x9x8xf32>, tensor<2x3x8xf16>, tensor<2xi32> -> tensor<2x9x8xf32>
  return
}

// -----

func.func @append_c4(%c: tensor<2x9x8xf32>, %x: tensor<2x3x4xf32>, %at: tensor<2xi32>) {
  // expected-error @below {{'attn.append' op axis 'd' is 4 in the rows, but 8 before}}
  %0 = attn.append "bsd" %c, %x along "s" at "b" (%at) : tensor<2x9x8xf32>, tensor<2x3x4xf32>, tensor<2xi32> -> tensor<2x9x8xf32>
  return
}

// -----

func.func @append_c5(%c: tensor<2x9x8xf32>, %x: tensor<2x3x8xf32>, %at: tensor<i32>) {
  // expected-error @below {{'attn.append' op 'at' has 0 axes, its labels 'b' name 1}}
  %0 = attn.append "bsd" %c, %x along "s" at "b" (%at) : tensor<2x9x8xf32>, tensor<2x3x8xf32>, tensor<i32> -> tensor<2x9x8xf32>
  return
}

// -----

func.func @scan_c1(%x: tensor<2x9xf32>) {
  // expected-error @below {{'attn.scan' op the source has 2 axes, its labels 's' name 1}}
  %0 = attn.scan "s" %x along "s" : tensor<2x9xf32> -> tensor<2x9xf32>
  return
}

// -----

func.func @scan_c2(%x: tensor<2x9xf32>) {
  // expected-error @below {{'attn.scan' op 'along' must be one letter of 'bs', got 'k'}}
  %0 = attn.scan "bs" %x along "k" : tensor<2x9xf32> -> tensor<2x9xf32>
  return
}

// -----

func.func @scan_c3(%x: tensor<2x9xf32>) {
  // expected-error @below {{'attn.scan' op axis 's' is 8 in the result, but 9 before}}
  %0 = attn.scan "bs" %x along "s" : tensor<2x9xf32> -> tensor<2x8xf32>
  return
}
