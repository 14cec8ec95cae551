// Each constraint of a complete stage (Passes.td), broken.
// RUN: attnc-opt %s --tile-verify-program --split-input-file --verify-diagnostics

// expected-error@below {{'func.func' op does not belong to stage tile; expected tile.program}}
func.func @verify_program_c1() {
  return
}

// -----

module attributes {attnc.interface = [{name = "f", title = "t", spec = "s", sizes = [{name = "n"}], tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["n"]}, {name = "O", role = "output", dtype = "f32", axes = ["n"]}], preconditions = [], positions = []}]} {
  // expected-error@below {{'tile.program' op stands in the place of 'f' of attnc.interface}}
  tile.program @verify_program_c2_name(%Q: !tile.buf<q : f32>, %O: !tile.buf<q : f32>, %n: index) target "any" {
  }
}

// -----

module attributes {attnc.interface = [{name = "f", title = "t", spec = "s", sizes = [{name = "n"}], tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["n"]}, {name = "O", role = "output", dtype = "f32", axes = ["n"]}], preconditions = [], positions = []}]} {
  // expected-error@below {{'tile.program' op has 2 arguments, but its interface has 2 tensors and 1 sizes}}
  tile.program @f(%Q: !tile.buf<q : f32>, %O: !tile.buf<q : f32>) target "any" {
  }
}

// -----

module attributes {attnc.interface = [{name = "f", title = "t", spec = "s", sizes = [{name = "n"}], tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["n"]}, {name = "O", role = "output", dtype = "f32", axes = ["n"]}], preconditions = [], positions = []}]} {
  // expected-error@below {{'tile.program' op argument 1 is '!tile.buf<q : bf16>', but tensor 'O' of its interface has 1 axes of 'f32'}}
  tile.program @f(%Q: !tile.buf<q : f32>, %O: !tile.buf<q : bf16>, %n: index) target "any" {
  }
}

// -----

// expected-error@below {{holds 0 programs for 1 functions of attnc.interface}}
module attributes {attnc.interface = [{name = "f", title = "t", spec = "s", sizes = [{name = "n"}], tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["n"]}, {name = "O", role = "output", dtype = "f32", axes = ["n"]}], preconditions = [], positions = []}]} {
}

// -----

tile.program @verify_program_c3(%n: index) target "any" {
  tile.grid (%i) to (%n) {
    // expected-error@below {{'tile.grid' op must stand directly in tile.program}}
    tile.grid (%j) to (%n) {
    }
  }
}

// -----

tile.program @verify_program_c4_op(%n: index) target "any" {
  tile.grid (%i) to (%n) {
    // expected-error@below {{'scf.reduce' op does not belong to stage tile; expected ops of tile, arith and math, scf.if, scf.for and scf.yield}}
    scf.parallel (%j) = (%i) to (%n) step (%n) {
    }
  }
}

// -----

tile.program @verify_program_c4_tile() target "any" {
  // expected-error@below {{'tile.splat' op computes tiles outside of a tile.grid}}
  %0 = tile.splat 0.0 : !tile.tile<q:4, f32>
}

// -----

module attributes {attnc.interface = [{name = "f", title = "t", spec = "s", sizes = [{name = "n"}], tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["n"]}, {name = "O", role = "output", dtype = "f32", axes = ["n"]}, {name = "lse", role = "extra", dtype = "f32", axes = ["n"], nullable}], preconditions = [], positions = []}]} {
  tile.program @f(%Q: !tile.buf<q : f32>, %O: !tile.buf<q : f32>, %lse: !tile.buf<q : f32>, %n: index) target "any" {
    tile.grid (%i) to (%n) {
      %t = tile.splat 0.0 : !tile.tile<q:4, f32>
      tile.store %t, %O[%i] : !tile.tile<q:4, f32>, !tile.buf<q : f32>
      // expected-error@below {{'tile.store' op stores to 'lse', which the caller may leave out; put it under scf.if of tile.present}}
      tile.store %t, %lse[%i] : !tile.tile<q:4, f32>, !tile.buf<q : f32>
    }
  }
}
