; Shuffles within segments of a warp; out[4 * lane + i] is result i.
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @shuffles(ptr addrspace(1) %out) {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; Only the low 5 bits of the lane count.
  %wrapped = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %lane, i32 33, i32 31)
  ; Segments of 8: clamp 31, mask 24.
  %first = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %lane, i32 0, i32 6175)
  %pair = call { i32, i1 } @llvm.nvvm.shfl.sync.down.i32p(i32 -1, i32 %lane, i32 1, i32 6175)
  %next = extractvalue { i32, i1 } %pair, 0
  %isNext = extractvalue { i32, i1 } %pair, 1
  %up = call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %next, i32 2, i32 0)
  %flag = zext i1 %isNext to i32
  %index = shl i32 %lane, 2
  %row = getelementptr i32, ptr addrspace(1) %out, i32 %index
  store i32 %wrapped, ptr addrspace(1) %row, align 4
  %row1 = getelementptr i32, ptr addrspace(1) %row, i32 1
  store i32 %first, ptr addrspace(1) %row1, align 4
  %row2 = getelementptr i32, ptr addrspace(1) %row, i32 2
  store i32 %flag, ptr addrspace(1) %row2, align 4
  %row3 = getelementptr i32, ptr addrspace(1) %row, i32 3
  store i32 %up, ptr addrspace(1) %row3, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.up.i32(i32, i32, i32, i32)
declare { i32, i1 } @llvm.nvvm.shfl.sync.down.i32p(i32, i32, i32, i32)
