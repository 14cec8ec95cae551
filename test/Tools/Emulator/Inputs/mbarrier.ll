; Warp 0 passes two rows to warp 1 through one row of shared memory: mbarrier 0
; is full, mbarrier 1 is empty.
target triple = "nvptx64-nvidia-cuda"

@row = internal addrspace(3) global [128 x i8] undef, align 16
@full = internal addrspace(3) global i64 undef, align 8
@empty = internal addrspace(3) global i64 undef, align 8

define ptx_kernel void @pass(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %tid, 31
  %bytes = shl i32 %lane, 2
  %slot = getelementptr i8, ptr addrspace(3) @row, i32 %bytes
  %mirror = sub i32 124, %bytes
  %slot.read = getelementptr i8, ptr addrspace(3) @row, i32 %mirror
  %from = getelementptr float, ptr addrspace(1) %in, i32 %lane
  %from1 = getelementptr float, ptr addrspace(1) %from, i32 32
  %to = getelementptr float, ptr addrspace(1) %out, i32 %lane
  %to1 = getelementptr float, ptr addrspace(1) %to, i32 32
  %isFirst = icmp eq i32 %tid, 0
  br i1 %isFirst, label %init, label %start

init:
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @full, i32 32) ; init
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @empty, i32 32)
  br label %start

start:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0) ; barrier
  %isProducer = icmp ult i32 %tid, 32
  br i1 %isProducer, label %producer, label %consumer

producer:
  %value = load float, ptr addrspace(1) %from, align 4
  store float %value, ptr addrspace(3) %slot, align 4
  %state = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) @full)
  call void asm sideeffect "{\0A\09.reg .pred       P1; \0A\09LAB_WAIT: \0A\09mbarrier.try_wait.parity.shared.b64 P1, [$0], $1, $2; \0A\09@P1 bra.uni DONE; \0A\09bra.uni     LAB_WAIT; \0A\09DONE: \0A\09}", "r,r,r"(ptr addrspace(3) @empty, i32 0, i32 10000000) ; wait empty
  %value1 = load float, ptr addrspace(1) %from1, align 4
  store float %value1, ptr addrspace(3) %slot, align 4
  %state1 = call i64 @llvm.nvvm.mbarrier.arrive.scope.cta.space.cta(ptr addrspace(3) @full, i32 1) ; last arrive
  ret void

consumer:
  br label %spin

spin:
  %isFull = call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3) @full, i32 0)
  br i1 %isFull, label %first, label %spin

first:
  %passed = load float, ptr addrspace(3) %slot.read, align 4
  store float %passed, ptr addrspace(1) %to, align 4
  %state2 = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) @empty) ; release
  br label %spin1

spin1:
  %isFull1 = call i1 @llvm.nvvm.mbarrier.test.wait.parity.scope.cta.space.cta(ptr addrspace(3) @full, i32 1)
  br i1 %isFull1, label %second, label %spin1

second:
  %passed1 = load float, ptr addrspace(3) %slot.read, align 4
  store float %passed1, ptr addrspace(1) %to1, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3))
declare i64 @llvm.nvvm.mbarrier.arrive.scope.cta.space.cta(ptr addrspace(3), i32)
declare i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3), i32)
declare i1 @llvm.nvvm.mbarrier.test.wait.parity.scope.cta.space.cta(ptr addrspace(3), i32)
