# SPDX-License-Identifier: GPL-2.0
# The commands of the project; `make` alone lists them. Kbuild holds what the kernel's makefiles read.

VM := userspace/vm/vm
KDIR ?= /lib/modules/$(shell uname -r)/build

# A user's command reaches the guest as it was typed: `value` keeps make from expanding its dollars,
# and the environment keeps the shell from reading its quotes.
VERBATIM := CMD FILES KERNEL PARAMS CPU SMP MEM TIMEOUT INSMOD
$(foreach name,$(VERBATIM),$(eval override export $(name) := $$(value $(name))))

.PHONY: help run shell deps list module clean install uninstall dkms-install dkms-remove check lint coverage fuzz bench \
	bench-device

define HELP
make run              boot Linux in QEMU with the module, and show what it does
make run CMD='...'    run a shell command there; its output and success are yours
make shell            a shell there (leave with 'exit' or Ctrl-A X)
make check            all tests
make lint             those that run nothing: compilers' warnings, analyzers, style, names
make check-trust      what a guest cannot see of itself: its memory searched, cloned, put to sleep
make check-kernels    the device tests in every kernel of 'make list' that Debian ships, and on other processors
make check-debug      the device tests in kernels that look for mistakes (KASAN, lockdep, ...): 40 minutes
make coverage         which lines of the driver the tests run
make fuzz SECONDS=600 random programs against the core's variants; what it learns is kept in the cache
make statistics       rngtest and dieharder on every generator
make bench            speed of the cores, the device and the kernel's inside, against peers
make bench-device     speed of this machine's own /dev/shakerandom
make list             the kernels that KERNEL= can name
make deps             install the Debian packages that run and check need

    CMD='./prog x'    FILES='prog data'    copied into the guest's working directory first
    KERNEL=6.12       PARAMS='algorithm=chacha20'    INSMOD=0 (do not load the module)
    CPU=qemu64        SMP=2    MEM=1024 (MiB)    TIMEOUT=60 (seconds)
    make -s run CMD='head -c 1000000 /dev/shakerandom' > file
    make turns any failure into 2; 'userspace/vm/vm run ...' gives the command's exact status

make module           build for the running kernel, or for KDIR=/path/to/kernel/build
make install          as root: install that module and <linux/shakerandom.h>
make uninstall        as root: remove them
make dkms-install     as root: the same through DKMS, which builds it again for every new kernel
make dkms-remove      as root: remove every version of it that DKMS has
make clean            remove what was built in this tree
endef

help:
	$(info $(HELP))
	@:

run shell list deps check lint check-kernels check-trust check-debug coverage statistics:
	@$(VM) $@

fuzz:
	@FUZZ_SECONDS='$(SECONDS)' $(VM) fuzz

# Everything against its peers, in one table; OUT= says where the JSON and the plot go.
bench:
	@$(VM) bench

# The device of this very machine; the module must be loaded.
bench-device:
	@cd userspace/device && PYTHONPATH=../native python3 -B bench.py speed

# The kernel's makefiles have their own idea of these names. Nobody signs here, so they need no key;
# type information for tracers would need pahole.
KBUILD = env -u CMD -u FILES -u KERNEL -u PARAMS -u CPU $(MAKE) -C $(KDIR) M=$(CURDIR) \
	CONFIG_MODULE_SIG_ALL= $(if $(shell command -v pahole),,CONFIG_DEBUG_INFO_BTF_MODULES=)
RELEASE = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' $(KDIR)/include/generated/utsrelease.h)
HEADER := /usr/include/linux/shakerandom.h

define NEED_HEADERS
@test -e $(KDIR)/Makefile || { \
	echo "no kernel headers in $(KDIR):" >&2; \
	echo "    apt-get install linux-headers-$$(uname -r), or name a build tree with KDIR=" >&2; exit 1; }
endef

define NEED_PLAIN_PATH
@test $(words $(CURDIR)) = 1 || { \
	echo "the kernel's makefiles cannot build in a path with spaces: $(CURDIR)" >&2; exit 1; }
endef

module:
	$(NEED_HEADERS)
	$(NEED_PLAIN_PATH)
	@$(KBUILD) modules

# A package being made (DESTDIR) leaves the index of modules to the machine it will be installed on.
install: module
	@$(KBUILD) INSTALL_MOD_DIR=updates INSTALL_MOD_PATH=$(DESTDIR) modules_install
	install -D -m 644 uapi/shakerandom.h $(DESTDIR)$(HEADER)
	$(if $(DESTDIR),,depmod $(RELEASE))

uninstall:
	$(NEED_HEADERS)
	rm -f $(DESTDIR)/lib/modules/$(RELEASE)/updates/shakerandom*.ko* $(DESTDIR)$(HEADER)
	$(if $(DESTDIR),,depmod $(RELEASE))

# DKMS builds from a copy of its own, without the tests. The version is dkms.conf's.
VERSION = $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)
DKMS_SOURCES := LICENSE Kbuild dkms.conf driver uapi

define NEED_DKMS
@test "$$(id -u)" = 0 || { echo "only root can do that: sudo make $@" >&2; exit 1; }
@command -v dkms >/dev/null || { echo "DKMS is missing: apt-get install dkms" >&2; exit 1; }
endef

# Each version of ours that is named: out of DKMS if it is in there, and its sources with it.
define DKMS_FORGET
@for source in $(1); do \
	test -e "$$source" || continue; \
	version=$${source##*/shakerandom-}; \
	test -z "$$(dkms status shakerandom/$$version)" || dkms remove shakerandom/$$version --all || exit 1; \
	rm -rf "$$source"; \
done
endef

# The kernel's name is KDIR's; what is running needs no KDIR.
dkms-install:
	$(NEED_DKMS)
	$(NEED_HEADERS)
	$(call DKMS_FORGET,/usr/src/shakerandom-$(VERSION))
	@mkdir -p /usr/src/shakerandom-$(VERSION)
	@tar -cf - --exclude='*.o' --exclude='.*.cmd' --exclude='.*.d' --exclude='*.mod' $(DKMS_SOURCES) | \
		tar -xf - --no-same-owner -C /usr/src/shakerandom-$(VERSION)
	dkms install shakerandom/$(VERSION) -k $(RELEASE)$(if $(filter file,$(origin KDIR)),, --kernelsourcedir $(KDIR))
	install -D -m 644 uapi/shakerandom.h $(HEADER)

dkms-remove:
	$(NEED_DKMS)
	$(call DKMS_FORGET,/usr/src/shakerandom-[0-9]*)
	rm -f $(HEADER)

clean:
	@rm -rf userspace/*/build Module.symvers modules.order *.o *.ko *.mod *.mod.c .*.cmd .*.d
	@find $(wildcard driver kunit) -type f \( -name '*.o' -o -name '.*.cmd' -o -name '.*.d' -o -name '*.mod' \) -exec rm -f {} +
