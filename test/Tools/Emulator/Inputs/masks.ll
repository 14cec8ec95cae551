; Each half of a warp votes, elects a thread, adds and shuffles.
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @masks(ptr addrspace(1) %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %isLow = icmp ult i32 %tid, 16
  %mask = select i1 %isLow, i32 65535, i32 -65536
  %isOdd = trunc i32 %tid to i1
  %ballot = call i32 @llvm.nvvm.vote.ballot.sync(i32 %mask, i1 %isOdd)
  %elected = call { i32, i1 } @llvm.nvvm.elect.sync(i32 %mask)
  %leader = extractvalue { i32, i1 } %elected, 0
  %isLeader = extractvalue { i32, i1 } %elected, 1
  %elected1 = call { i32, i32 } asm sideeffect "{ .reg .pred p; elect.sync $0|p, $2; mov.b32 $1, 0; @p mov.b32 $1, 1; }", "=r,=r,r"(i32 %mask)
  %leader1 = extractvalue { i32, i32 } %elected1, 0
  %isLeader1 = extractvalue { i32, i32 } %elected1, 1
  %isSame = icmp eq i32 %leader, %leader1
  %leader.i32 = zext i1 %isLeader to i32
  %both = and i32 %leader.i32, %isLeader1
  %result = select i1 %isSame, i32 %both, i32 -1
  %sum = call i32 @llvm.nvvm.redux.sync.add(i32 %tid, i32 %mask)
  %neighbour = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 %mask, i32 %tid, i32 1, i32 31) ; neighbour
  %row = getelementptr i32, ptr addrspace(1) %out, i32 %tid
  store i32 %ballot, ptr addrspace(1) %row, align 4
  %row1 = getelementptr i32, ptr addrspace(1) %row, i32 32
  store i32 %leader, ptr addrspace(1) %row1, align 4
  %row2 = getelementptr i32, ptr addrspace(1) %row, i32 64
  store i32 %result, ptr addrspace(1) %row2, align 4
  %row3 = getelementptr i32, ptr addrspace(1) %row, i32 96
  store i32 %sum, ptr addrspace(1) %row3, align 4
  %row4 = getelementptr i32, ptr addrspace(1) %row, i32 128
  store i32 %neighbour, ptr addrspace(1) %row4, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare { i32, i1 } @llvm.nvvm.elect.sync(i32)
declare i32 @llvm.nvvm.redux.sync.add(i32, i32)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
