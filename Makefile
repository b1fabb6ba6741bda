# The front doors. Everything else is a CMake preset (see CONTRIBUTING.md).
.PHONY: demo package check check-all tidy check-clients
.DEFAULT_GOAL := demo

programs = warpmindd warpmind warpmind-worker warpmind-judge warpmind_simulated_cudart warpmind_record warpmind_inject

# Installs what is missing, builds, optimises three kernels; files go to ./warpmind-demo.
demo:
	@cmake/say_build_time.sh
	@cmake/install_packages.sh
	@cmake/with_toolkit.sh cmake --preset release
	@cmake/with_toolkit.sh cmake --build --preset release --target $(programs)
	@cmake/with_toolkit.sh tasks/demo.sh build/release/bin

# Tarball, .deb, Python wheel and npm package, in dist/.
package:
	@cmake/install_packages.sh check
	@cmake/with_toolkit.sh cmake --preset release
	@cmake/with_toolkit.sh cmake --build --preset release --target $(programs)
	@cmake/with_toolkit.sh cmake/packaging/make_packages.sh build/release dist

# Installs what is missing and runs every check that CI runs, `make demo` in a clone first. clang-tidy has five minutes;
# CHECK_TIDY_SECONDS= lets it see all that changed.
check:
	@cmake/install_packages.sh check
	@cmake/fetch_nats_server.sh
	@CHECK_TIDY_SECONDS=$${CHECK_TIDY_SECONDS-300} cmake/with_toolkit.sh .ci/check

# The same with every test under sanitizers and clang-tidy on every source, for the night: about two hours on 2 cores.
check-all:
	@CHECK_ALL=1 CHECK_TIDY_SECONDS= $(MAKE) --no-print-directory check

# clang-tidy on every source; `make check` looks at what changed.
tidy:
	@cmake/install_packages.sh check
	@cmake/with_toolkit.sh cmake --preset tidy
	@cmake/with_toolkit.sh tests/tools/check_tidy.sh build/tidy

# Clients and editors with the real programs (tests/clients); what cannot be had is skipped with a reason.
check-clients:
	@cmake/install_packages.sh check
	@cmake/with_toolkit.sh cmake --preset release
	@cmake/with_toolkit.sh cmake --build --preset release --target $(programs)
	@cmake/with_toolkit.sh tests/clients/check.sh build/release/bin
