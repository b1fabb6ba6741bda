# The front doors. Everything else is a CMake preset (see CONTRIBUTING.md).
.PHONY: demo check check-clients package
.DEFAULT_GOAL := demo

# Installs what is missing, builds, optimises one kernel and shows what was remembered.
demo:
	@cmake/install_packages.sh
	@cmake/with_toolkit.sh cmake --preset release
	@cmake/with_toolkit.sh cmake --build --preset release --target warpmindd warpmind warpmind-worker warpmind-judge warpmind_simulated_cudart
	@cmake/with_toolkit.sh tasks/demo.sh build/release/bin

# Installs what is missing, builds, runs every check that CI runs.
check:
	@cmake/install_packages.sh
	@cmake/fetch_nats_server.sh
	@cmake/with_toolkit.sh .ci/check

# Clients and editors with the real programs (tests/clients); what cannot be had is skipped with a reason.
check-clients:
	@cmake/install_packages.sh
	@cmake/with_toolkit.sh cmake --preset release
	@cmake/with_toolkit.sh cmake --build --preset release --target warpmindd warpmind warpmind-worker warpmind-judge warpmind_simulated_cudart
	@cmake/with_toolkit.sh tests/clients/check.sh build/release/bin

# Tarball, .deb, Python wheel and npm package in dist/ (docs/install.md).
package:
	@cmake/install_packages.sh check
	@cmake/with_toolkit.sh cmake --preset release
	@cmake/with_toolkit.sh cmake/packaging/make_packages.sh build/release dist
