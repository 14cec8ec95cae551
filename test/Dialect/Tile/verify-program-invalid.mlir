// Each constraint of a complete stage (Passes.td), broken.
// RUN: attnc-opt %s --tile-verify-program --split-input-file --verify-diagnostics

// expected-error@below {{'func.func' op does not belong to stage tile; expected tile.program}}
func.func @verify_program_c1() {
  return
}

// -----

module attributes {attnc.interface = [{name = "f", title = "t", spec = "s", sizes = [{name = "n"}], tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["n"]}, {name = "O", role = "output", dtype = "f32", axes = ["n"]}], preconditions = [], positions = []}]} {
  // expected-error@below {{'tile.program' op stands in the place of 'f' of attnc.interface}}
  tile.program @verify_program_c2_name(%Q: !tile.buf<q : f32>, %O: !tile.buf<q : f32>, %n: index) target #tile.none {
  }
}

// -----

module attributes {attnc.interface = [{name = "f", title = "t", spec = "s", sizes = [{name = "n"}], tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["n"]}, {name = "O", role = "output", dtype = "f32", axes = ["n"]}], preconditions = [], positions = []}]} {
  // expected-error@below {{'tile.program' op has 2 arguments, but its interface has 2 tensors and 1 sizes}}
  tile.program @f(%Q: !tile.buf<q : f32>, %O: !tile.buf<q : f32>) target #tile.none {
  }
}

// -----

module attributes {attnc.interface = [{name = "f", title = "t", spec = "s", sizes = [{name = "n"}], tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["n"]}, {name = "O", role = "output", dtype = "f32", axes = ["n"]}], preconditions = [], positions = []}]} {
  // expected-error@below {{'tile.program' op argument 1 is '!tile.buf<q : bf16>', but tensor 'O' of its interface has 1 axes of 'f32'}}
  tile.program @f(%Q: !tile.buf<q : f32>, %O: !tile.buf<q : bf16>, %n: index) target #tile.none {
  }
}

// -----

// expected-error@below {{holds 0 programs for 1 functions of attnc.interface}}
module attributes {attnc.interface = [{name = "f", title = "t", spec = "s", sizes = [{name = "n"}], tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["n"]}, {name = "O", role = "output", dtype = "f32", axes = ["n"]}], preconditions = [], positions = []}]} {
}

// -----

tile.program @verify_program_c3(%n: index) target #tile.none {
  tile.grid (%i) to (%n) {
    // expected-error@below {{'tile.grid' op must stand directly in tile.program}}
    tile.grid (%j) to (%n) {
    }
  }
}

// -----

tile.program @verify_program_c4_op(%n: index) target #tile.none {
  tile.grid (%i) to (%n) {
    // expected-error@below {{'scf.reduce' op does not belong to stage tile; expected ops of tile, arith and math, scf.if, scf.for and scf.yield}}
    scf.parallel (%j) = (%i) to (%n) step (%n) {
    }
  }
}

// -----

tile.program @verify_program_c4_tile() target #tile.none {
  // expected-error@below {{'tile.splat' op computes tiles outside of a tile.grid}}
  %0 = tile.splat 0.0 : !tile.tile<q:4, f32>
}

// -----

module attributes {attnc.interface = [{name = "f", title = "t", spec = "s", sizes = [{name = "n"}], tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["n"]}, {name = "O", role = "output", dtype = "f32", axes = ["n"]}, {name = "lse", role = "extra", dtype = "f32", axes = ["n"], nullable}], preconditions = [], positions = []}]} {
  tile.program @f(%Q: !tile.buf<q : f32>, %O: !tile.buf<q : f32>, %lse: !tile.buf<q : f32>, %n: index) target #tile.none {
    tile.grid (%i) to (%n) {
      %t = tile.splat 0.0 : !tile.tile<q:4, f32>
      tile.store %t, %O[%i] : !tile.tile<q:4, f32>, !tile.buf<q : f32>
      // expected-error@below {{'tile.store' op stores to 'lse', which the caller may leave out; put it under scf.if of tile.present}}
      tile.store %t, %lse[%i] : !tile.tile<q:4, f32>, !tile.buf<q : f32>
    }
  }
}

// -----

module attributes {attnc.interface = [{name = "f", title = "t", spec = "s", sizes = [{name = "n"}], tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["n"]}, {name = "O", role = "output", dtype = "f32", axes = ["n"]}], preconditions = [], positions = []}]} {
  tile.program @f(%Q: !tile.buf<q : f32>, %O: !tile.buf<q : f32>, %n: index) target #tile.none {
    tile.grid (%i) to (%n) {
      %c0 = arith.constant 0 : index
      tile.for (%k, %nk, %partial) in [(%c0, %c0, %n, %n)] step 16 partial_step 4 {
        %full = tile.load %Q[%k] valid(q = %nk) : !tile.buf<q : f32> -> !tile.tile<q:16, f32>
        // expected-error@below {{'tile.load' op covers 8 elements of axis 'q', but the loop steps by 16}}
        %verify_program_c6 = tile.load %Q[%k] valid(q = %nk) : !tile.buf<q : f32> -> !tile.tile<q:8, f32>
        tile.yield
      }
    }
  }
}

// -----

module attributes {attnc.interface = [{name = "f", title = "t", spec = "s", sizes = [{name = "n", value = "8"}], tensors = [{name = "Q", role = "query", dtype = "f32", axes = ["n"]}, {name = "O", role = "output", dtype = "f32", axes = ["n"]}], preconditions = [], positions = []}]} {
  tile.program @f(%Q: !tile.buf<q : f32>, %O: !tile.buf<q : f32>, %n: index) target #tile.none {
    tile.grid (%i) to (%n) {
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %within = tile.load %Q[%c0] : !tile.buf<q : f32> -> !tile.tile<q:8, f32>
      %valid = tile.load %Q[%c0] valid(q = %n) : !tile.buf<q : f32> -> !tile.tile<q:16, f32>
      // expected-error@below {{'tile.load' op ends at element 10 of axis 'q', which has 8}}
      %verify_program_c7 = tile.load %Q[%c2] : !tile.buf<q : f32> -> !tile.tile<q:8, f32>
    }
  }
}
