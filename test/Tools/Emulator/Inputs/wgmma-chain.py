"""Adds a second product to the kernel that wgmma.py writes of a case N,TYPE,regs,B,1.

wgmma-chain.py overwrite KERNEL: the second product accumulates onto the first,
with a B of zeros. When all but the last group is complete, the kernel overwrites
the B of the first.
wgmma-chain.py stale KERNEL: the second product accumulates onto the registers
of the first from before its wait.
"""
import re
import sys

mode, path = sys.argv[1:]
text = open(path, encoding="utf-8").read()
flight = re.search("  %flight = .*\n", text)[0]
wait = re.search("  %sums = .*; wait\n", text)[0]
result = re.search(r"\{ [a-z, ]* \}", flight)[0]
count = result.count("float")

second = flight.replace("%flight", "%flight2")
for i in range(count):
    second = second.replace(f"float %c{i}", f"float %d{i}")
second += "  call void @llvm.nvvm.wgmma.commit_group.sync.aligned()\n"
second += "".join(f"  %e{i} = extractvalue {result} %flight2, {i}\n" for i in range(count))
last = wait.replace("float %d", "float %e")

if mode == "stale":
    text = text.replace(wait, wait.replace("%sums", "%sums1") + second + last)
else:
    # A box that is out of bounds is filled with zeros.
    load = re.search("  call void .*2d.*ptr %b, i32 0, i32 0, .*\n", text)[0]
    text = text.replace(load, load + load.replace("i32 32768", "i32 65536").replace("i32 0, i32 0", "i32 0, i32 1000"))
    text = re.sub(r"(%state = .*i32 )(\d+)\)", lambda found: f"{found[1]}{2 * int(found[2])})", text)
    descriptor = re.search("  %address.b = .*\n.*\n  %descriptor.b = .*\n", text)[0]
    zeros = descriptor.replace(".b =", ".z =").replace("%address.b,", "%address.z,").replace("%begin.b,", "%begin.z,")
    text = text.replace(descriptor, descriptor + zeros.replace("32768", "65536"))
    first_wait = wait.replace("%sums", "%held").replace("aligned 0;", "aligned 1;").replace("float %d", "float %e")
    held = "".join(f"  %f{i} = extractvalue {result} %held, {i}\n" for i in range(count))
    overwrite = """  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %old = getelementptr i32, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @memory, i32 32768), i32 %tid
  store i32 0, ptr addrspace(3) %old, align 4
"""
    text = text.replace(wait, second.replace("%descriptor.b", "%descriptor.z") + first_wait + held + overwrite +
                        last.replace("float %e", "float %f"))
with open(path, "w", encoding="utf-8") as file:
    file.write(text)
