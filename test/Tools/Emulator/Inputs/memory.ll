; Two warps add 1 to counters in shared and global memory; the first thread
; copies the shared one by llvm.memcpy.
target triple = "nvptx64-nvidia-cuda"

@counter = internal addrspace(3) global [2 x i32] undef, align 4

define ptx_kernel void @count(ptr addrspace(1) %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %isFirst = icmp eq i32 %tid, 0
  %row = getelementptr i32, ptr addrspace(1) %out, i32 1
  br i1 %isFirst, label %clear, label %start

clear:
  call void @llvm.memset.p3.i64(ptr addrspace(3) align 4 @counter, i8 0, i64 8, i1 false)
  call void @llvm.memset.p1.i64(ptr addrspace(1) align 4 %out, i8 0, i64 4, i1 false)
  br label %start

start:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %old = atomicrmw add ptr addrspace(3) @counter, i32 1 syncscope("block") monotonic, align 4 ; add
  %pair = cmpxchg ptr addrspace(3) getelementptr (i32, ptr addrspace(3) @counter, i32 1), i32 0, i32 1 syncscope("block") monotonic monotonic, align 4
  %sum = atomicrmw fadd ptr addrspace(1) %out, float 1.0 syncscope("device") monotonic, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0) ; barrier
  br i1 %isFirst, label %copy, label %end

copy:
  call void @llvm.memcpy.p1.p3.i64(ptr addrspace(1) align 4 %row, ptr addrspace(3) align 4 @counter, i64 8, i1 false)
  br label %end

end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.memset.p3.i64(ptr addrspace(3), i8, i64, i1)
declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)
declare void @llvm.memcpy.p1.p3.i64(ptr addrspace(1), ptr addrspace(3), i64, i1)
