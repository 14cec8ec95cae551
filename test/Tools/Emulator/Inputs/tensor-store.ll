; Copies 1024 bytes to shared memory and stores them as a box of 64 x 8 elements
; of f16 at (x, y).
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [1024 x i8] undef, align 1024

define ptx_kernel void @store(ptr byval([128 x i8]) align 64 "nvvm.grid_constant" %map, ptr addrspace(1) %in, i32 %x, i32 %y) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %bytes = shl i32 %tid, 4
  %from = getelementptr i8, ptr addrspace(1) %in, i32 %bytes
  %chunk = load <4 x i32>, ptr addrspace(1) %from, align 16
  %to = getelementptr i8, ptr addrspace(3) @tile, i32 %bytes
  store <4 x i32> %chunk, ptr addrspace(3) %to, align 16
  call void @llvm.nvvm.fence.proxy.async.shared_cta() ; fence
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %isFirst = icmp eq i32 %tid, 0
  br i1 %isFirst, label %issue, label %end

issue:
  call void @llvm.nvvm.cp.async.bulk.tensor.s2g.tile.2d(ptr addrspace(3) @tile, ptr %map, i32 %x, i32 %y, i64 0, i1 false)
  call void @llvm.nvvm.cp.async.bulk.commit.group() ; commit
  call void @llvm.nvvm.cp.async.bulk.wait.group.read(i32 0) ; wait
  store <4 x i32> zeroinitializer, ptr addrspace(3) %to, align 16
  br label %end

end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.fence.proxy.async.shared_cta()
declare void @llvm.nvvm.cp.async.bulk.tensor.s2g.tile.2d(ptr addrspace(3), ptr, i32, i32, i64, i1)
declare void @llvm.nvvm.cp.async.bulk.commit.group()
declare void @llvm.nvvm.cp.async.bulk.wait.group.read(i32)
