; Loads a box of a tensor at (x, y) into shared memory and stores its bytes.
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [4096 x i8] undef, align 1024
@full = internal addrspace(3) global i64 undef, align 8

define ptx_kernel void @load(ptr byval([128 x i8]) align 64 "nvvm.grid_constant" %map, ptr addrspace(1) %out, i32 %bytes, i32 %x, i32 %y) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %begin = shl i32 %tid, 4
  %isFirst = icmp eq i32 %tid, 0
  br i1 %isFirst, label %issue, label %wait

issue:
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @full, i32 1)
  call void @llvm.nvvm.fence.mbarrier_init.release.cluster() ; fence
  %state = call i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr addrspace(3) @full, i32 %bytes) ; expect
  %cluster = addrspacecast ptr addrspace(3) @tile to ptr addrspace(7)
  call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7) %cluster, ptr addrspace(3) @full, ptr %map, i32 %x, i32 %y, i16 0, i64 0, i1 false, i1 false, i32 0) ; load
  br label %wait

wait:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void asm sideeffect "{\0A\09.reg .pred       P1; \0A\09LAB_WAIT: \0A\09mbarrier.try_wait.parity.shared.b64 P1, [$0], $1, $2; \0A\09@P1 bra.uni DONE; \0A\09bra.uni     LAB_WAIT; \0A\09DONE: \0A\09}", "r,r,r"(ptr addrspace(3) @full, i32 0, i32 10000000) ; wait
  br label %loop

loop:
  %at = phi i32 [ %begin, %wait ], [ %next, %body ]
  %isInside = icmp ult i32 %at, %bytes
  br i1 %isInside, label %body, label %end

body:
  %from = getelementptr i8, ptr addrspace(3) @tile, i32 %at
  %chunk = load <4 x i32>, ptr addrspace(3) %from, align 16
  %to = getelementptr i8, ptr addrspace(1) %out, i32 %at
  store <4 x i32> %chunk, ptr addrspace(1) %to, align 16
  %next = add i32 %at, 512
  br label %loop

end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare void @llvm.nvvm.fence.mbarrier_init.release.cluster()
declare i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr addrspace(3), i32)
declare void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7), ptr addrspace(3), ptr, i32, i32, i16, i64, i1, i1, i32)
