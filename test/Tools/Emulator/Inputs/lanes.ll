; Two warps. Warp 1 fills 128 bytes, of which the copy reads 64, and arrives at
; barrier 1; warp 0 waits there and reads them.
target triple = "nvptx64-nvidia-cuda"

@tile = external addrspace(3) global [0 x i8], align 16

define ptx_kernel void @lanes(ptr addrspace(1) %in, ptr addrspace(1) %out, float %scale) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %tid, 31
  %bytes = shl i32 %lane, 2
  %to = getelementptr i8, ptr addrspace(3) @tile, i32 %bytes
  %isProducer = icmp ugt i32 %tid, 31
  br i1 %isProducer, label %producer, label %consumer

producer:
  %from = getelementptr i8, ptr addrspace(1) %in, i32 %bytes
  %isValid = icmp ult i32 %lane, 16
  %size = select i1 %isValid, i32 4, i32 0
  call void @llvm.nvvm.cp.async.ca.shared.global.4.s(ptr addrspace(3) %to, ptr addrspace(1) %from, i32 %size)
  call void @llvm.nvvm.cp.async.wait.all()
  call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 1, i32 64) ; arrive
  ret void

consumer:
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 64)
  %mirror = sub i32 124, %bytes
  %at = getelementptr i8, ptr addrspace(3) @tile, i32 %mirror
  %value = load float, ptr addrspace(3) %at, align 4
  %next = call float @llvm.nvvm.shfl.sync.down.f32(i32 -1, float %value, i32 1, i32 31)
  %pair = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %value, i32 1, i32 31)
  %first = call float @llvm.nvvm.shfl.sync.idx.f32(i32 -1, float %value, i32 31, i32 31)
  %isZero = fcmp oeq float %value, 0.0
  %zeros = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %isZero)
  %power = call float @llvm.nvvm.ex2.approx.ftz.f32(float %scale)
  %row = getelementptr float, ptr addrspace(1) %out, i32 %lane
  store float %next, ptr addrspace(1) %row, align 4
  %row1 = getelementptr float, ptr addrspace(1) %row, i32 32
  store float %pair, ptr addrspace(1) %row1, align 4
  %row2 = getelementptr float, ptr addrspace(1) %row, i32 64
  store float %first, ptr addrspace(1) %row2, align 4
  %row3 = getelementptr float, ptr addrspace(1) %row, i32 96
  store i32 %zeros, ptr addrspace(1) %row3, align 4
  %row4 = getelementptr float, ptr addrspace(1) %row, i32 128
  store float %power, ptr addrspace(1) %row4, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.cp.async.ca.shared.global.4.s(ptr addrspace(3), ptr addrspace(1), i32)
declare void @llvm.nvvm.cp.async.wait.all()
declare void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32, i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)
declare float @llvm.nvvm.shfl.sync.down.f32(i32, float, i32, i32)
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32)
declare float @llvm.nvvm.shfl.sync.idx.f32(i32, float, i32, i32)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare float @llvm.nvvm.ex2.approx.ftz.f32(float)
