// RUN: attnc-opt %s --codegen-expand-math --split-input-file --verify-diagnostics

func.func @unknown_function(%x: f32) -> f32 {
  // expected-error@below {{'math.acos' op cannot be expanded: the function is not known}}
  // expected-note@below {{codegen-expand-math supports, on f16, bf16, f32 and f64: ceil cos erf erfc exp exp2 expm1 floor log log1p log2 round roundeven rsqrt sin tanh trunc}}
  %0 = math.acos %x : f32
  return %0 : f32
}

// -----

func.func @wider_than_f64(%x: f128) -> f128 {
  // expected-error@below {{'math.exp' op cannot be expanded: the function is not known on f128}}
  // expected-note@below {{codegen-expand-math supports}}
  %0 = math.exp %x : f128
  return %0 : f128
}

// -----

func.func @three_lanes(%x: vector<3xf32>) -> vector<3xf32> {
  // expected-error@below {{'math.exp' op cannot be expanded: a vector of 3 elements is not a power of two}}
  // expected-note@below {{codegen-expand-math supports}}
  %0 = math.exp %x : vector<3xf32>
  return %0 : vector<3xf32>
}

// -----

func.func @scalable(%x: vector<[4]xf32>) -> vector<[4]xf32> {
  // expected-error@below {{'math.exp' op cannot be expanded: the length of its vector is not fixed}}
  // expected-note@below {{codegen-expand-math supports}}
  %0 = math.exp %x : vector<[4]xf32>
  return %0 : vector<[4]xf32>
}

// -----

func.func @tensor(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{'math.exp' op cannot be expanded: its type is neither a scalar nor a vector}}
  // expected-note@below {{codegen-expand-math supports}}
  %0 = math.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
