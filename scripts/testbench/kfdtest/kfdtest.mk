# SPDX-License-Identifier: GPL-2.0
# AMD's kfdtest, from the source that rocm/rocm put into its root. Debian's
# source lacks the gtest that upstream's CMakeLists.txt names, so by hand, and
# with the thunk of the same source: it calls what a library does not export.
O ?= .
LLVM := 21

THUNK := /usr/src/rocr-runtime/libhsakmt
TEST := $(THUNK)/tests/kfdtest
# RDMA needs a kernel module of its own.
TESTS := $(filter-out RDMA%,$(notdir $(wildcard $(TEST)/src/*.cpp)))
OBJECTS := $(TESTS:%.cpp=$(O)/%.o) \
	$(patsubst %.c,$(O)/thunk_%.o,$(notdir $(wildcard $(THUNK)/src/*.c)))

CPPFLAGS := -I$(THUNK)/include -I$(THUNK)/src -I$(TEST)/include -I$(TEST)/src \
	-I/usr/include/libdrm -I/usr/lib/llvm-$(LLVM)/include -D_GNU_SOURCE -D__STDC_LIMIT_MACROS
# Their warnings are not ours.
# gtest 1.18 and this libstdc++ no longer bring <iomanip> along.
CXXFLAGS := -O1 -std=c++17 -w -include iomanip
CFLAGS := -O1 -w

$(O)/kfdtest: $(OBJECTS)
	$(CXX) -o $@ $^ -L/usr/lib/llvm-$(LLVM)/lib -lLLVM-$(LLVM) -lgtest -ldrm_amdgpu -ldrm \
		-lnuma -lpciaccess -lpthread -ldl -lrt

# LLVM 19 made these arguments superfluous, LLVM 21 refuses them.
$(O)/Assemble.cpp: $(TEST)/src/Assemble.cpp
	sed 's/\*STI, MCOptions.MCRelaxAll,$$/*STI));/; /^ *MCOptions.MCIncrementalLinker/d' $< >$@

# Has the thunk write 64 bits to a caller's variable of 32. What that hits is up to
# the compiler: KFDDBGTest.SuspendQueues died of it.
$(O)/BaseDebug.cpp: $(TEST)/src/BaseDebug.cpp
	sed 's/return \(hsaKmtDebugTrapIoctl(&args, queues, \)(HSAuint64 \*)numQueues);/HSAuint64 n = 0;\
	const HSAKMT_STATUS result = \1\&n);\
	*numQueues = n;\
	return result;/' $< >$@

# LLVM 21 no longer knows gfx940, the first MI300; gfx942 is the one that was sold.
$(O)/KFDASMTest.cpp: $(TEST)/src/KFDASMTest.cpp
	sed 's/0x090400/0x090402/' $< >$@

# The tests of CU masks do not ask emu_mode, as those of priorities do, for a smaller
# grid: 262,144 workgroups, of which a compute unit of the model does 42 a second.
$(O)/KFDQMTest.cpp: $(TEST)/src/KFDQMTest.cpp
	sed 's/dispatch.SetDim(1024, 16, 16)/dispatch.SetDim(64, 4, 4)/' $< >$@

$(O)/Assemble.o $(O)/BaseDebug.o $(O)/KFDASMTest.o $(O)/KFDQMTest.o: %.o: %.cpp
	$(CXX) $(CPPFLAGS) $(CXXFLAGS) -c $< -o $@

$(O)/%.o: $(TEST)/src/%.cpp
	$(CXX) $(CPPFLAGS) $(CXXFLAGS) -c $< -o $@

$(O)/thunk_%.o: $(THUNK)/src/%.c
	$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@
