; Warp 0 copies 512 bytes by cp.async, whose completion arrives at an mbarrier;
; warp 1 waits there and stores them in reverse.
target triple = "nvptx64-nvidia-cuda"

@row = internal addrspace(3) global [512 x i8] undef, align 16
@full = internal addrspace(3) global i64 undef, align 8

define ptx_kernel void @arrive(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %isFirst = icmp eq i32 %tid, 0
  br i1 %isFirst, label %init, label %start

init:
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @full, i32 32)
  br label %start

start:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %lane = and i32 %tid, 31
  %bytes = shl i32 %lane, 4
  %isProducer = icmp ult i32 %tid, 32
  br i1 %isProducer, label %producer, label %consumer

producer:
  %from = getelementptr i8, ptr addrspace(1) %in, i32 %bytes
  %to = getelementptr i8, ptr addrspace(3) @row, i32 %bytes
  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %to, ptr addrspace(1) %from)
  call void @llvm.nvvm.cp.async.mbarrier.arrive.noinc.shared(ptr addrspace(3) @full) ; arrive
  ret void

consumer:
  br label %spin

spin:
  %isFull = call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3) @full, i32 0)
  br i1 %isFull, label %store, label %spin

store:
  %mirror = sub i32 496, %bytes
  %copied = getelementptr i8, ptr addrspace(3) @row, i32 %mirror
  %chunk = load <4 x i32>, ptr addrspace(3) %copied, align 16
  %result = getelementptr i8, ptr addrspace(1) %out, i32 %bytes
  store <4 x i32> %chunk, ptr addrspace(1) %result, align 16
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3))
declare void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.mbarrier.arrive.noinc.shared(ptr addrspace(3))
declare i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3), i32)
