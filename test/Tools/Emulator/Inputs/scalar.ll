; out = 2 ** scale, through the stack.
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @scalar(ptr addrspace(1) %out, float %scale) {
  %frame = alloca [64 x float], align 4
  %power = call float @llvm.nvvm.ex2.approx.ftz.f(float %scale)
  store float %power, ptr %frame, align 4
  %value = load float, ptr %frame, align 4
  store float %value, ptr addrspace(1) %out, align 4
  ret void
}

declare float @llvm.nvvm.ex2.approx.ftz.f(float)
