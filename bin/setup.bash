# Shared by the commands in this directory: installs missing packages, and builds.
# All messages go to standard error, since standard output belongs to the robot.

say() { printf 'heybot: %s\n' "$*" >&2; }

# need_swift: exits with an error unless Swift is installed and new enough.
need_swift() {
    local version
    if ! command -v swift >/dev/null; then
        say "Swift isn't installed: get Swift 6.2 or newer from https://www.swift.org/install and try again"
        exit 69
    fi
    version=$(swift --version 2>/dev/null </dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1 || true)
    if [ -z "$version" ]; then
        say "the swift in your PATH isn't a working Swift toolchain: try 'swift --version', or get Swift 6.2 or newer from https://www.swift.org/install"
        exit 69
    fi
    if [ "${version%%.*}" -lt 6 ] || { [ "${version%%.*}" -eq 6 ] && [ "${version#*.}" -lt 2 ]; }; then
        say "Swift $version is too old: get 6.2 or newer from https://www.swift.org/install and try again"
        exit 69
    fi
}

# need_packages DEBIAN_PACKAGES BREW_FORMULAS: installs missing ones.
need_packages() {
    if command -v dpkg-query >/dev/null; then
        need_debian_packages $1
    elif command -v brew >/dev/null; then
        need_brew_formulas $2
    else
        say "this system has neither apt-get nor brew; make sure that these Debian packages or their equivalents are installed: $1"
    fi
}

# need_libraries: installs the C libraries for a build.
need_libraries() {
    need_packages "libcurl4-openssl-dev libexpat1-dev libgmp-dev libhiredis-dev libsqlite3-dev libssl-dev pkg-config" \
        "curl expat gmp hiredis openssl pkgconf sqlite"
}

need_debian_packages() {
    local missing=() as_root=() package
    for package in "$@"; do
        dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            say "these packages are missing: ${missing[*]}; install them with apt-get and try again"
            exit 69
        fi
        as_root=(sudo)
    fi
    say "installing ${missing[*]}"
    install_missing() {
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null >&2
    }
    # If that fails, the package lists may be missing or old: update them and try again.
    install_missing 2>/dev/null || { "${as_root[@]}" apt-get update -qq </dev/null >&2 && install_missing; } || {
        say "installing ${missing[*]} failed; see above"
        exit 69
    }
}

# need_servers PACKAGES: installs missing ones without starting or enabling their services.
need_servers() {
    command -v dpkg-query >/dev/null || return 0
    local policy=/usr/sbin/policy-rc.d package as_root=() missing=()
    for package in "$@"; do
        dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    if [ -e $policy ] || ! command -v "${as_root[0]:-true}" >/dev/null; then
        need_debian_packages "${missing[@]}"
    else
        (
            # Debian runs policy-rc.d before it starts a service. It is removed afterwards in any case.
            trap '"${as_root[@]}" rm -f $policy' EXIT
            printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee $policy >/dev/null
            "${as_root[@]}" chmod +x $policy
            need_debian_packages "${missing[@]}"
        ) || exit $?
    fi
    if command -v systemctl >/dev/null; then
        for package in "${missing[@]}"; do
            "${as_root[@]}" systemctl --quiet disable "$package" 2>/dev/null || true
        done
    fi
}

need_brew_formulas() {
    local missing=() formula
    for formula in "$@"; do
        brew list --formula "$formula" >/dev/null 2>&1 || missing+=("$formula")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    say "installing ${missing[*]}"
    brew install "${missing[@]}" </dev/null >&2
}

# clear_moved_cache SCRATCH: removes the compiler's module cache in a build directory if that was moved or copied, since
# compiled modules contain their path.
clear_moved_cache() {
    local place=$1/heybot.place before
    mkdir -p "$1"
    before=$(cat "$place" 2>/dev/null || true)
    [ "$before" != "$1" ] || return 0
    [ -z "$before" ] || say "this directory was moved from $before: rebuilding the compiler's module cache"
    rm -rf "$1"/*/*/ModuleCache
    printf '%s\n' "$1" >"$place"
}

# swift_build ARGUMENT...: runs `swift build`, and once more if the build tool itself crashes, which happens rarely on a busy
# machine.
swift_build() {
    local status=0
    swift build --no-color-diagnostics "$@" </dev/null >&2 || status=$?
    # SIGABRT, SIGBUS or SIGSEGV
    case $status in
        134 | 135 | 139) ;;
        *) return "$status" ;;
    esac
    say "Swift's build tool crashed: trying once more"
    swift build --no-color-diagnostics "$@" </dev/null >&2
}

# build PACKAGE PRODUCT [SCRATCH]: builds for release in SCRATCH/release (by default PACKAGE/.build/release), with Swift's
# libraries linked statically.
build() {
    local flags=() library scratch=${3:-$1/.build}
    clear_moved_cache "$scratch"
    if [ "$(uname)" != Darwin ]; then
        # Linking the C++ library statically saves a megabyte of memory; the linker does that if it finds the static
        # library first. Exporting no symbols saves more.
        flags=(-Xswiftc -use-ld=lld -Xlinker --no-export-dynamic)
        library=$(gcc -print-file-name=libstdc++.a 2>/dev/null || clang -print-file-name=libstdc++.a 2>/dev/null || true)
        if [ -f "$library" ]; then
            mkdir -p "$scratch/static"
            ln -sf "$(readlink -f "$library")" "$scratch/static/libstdc++.a"
            flags+=(-Xlinker "-L$scratch/static")
        fi
    fi
    # Without an rpath, since the libraries are linked statically.
    swift_build --package-path "$1" --scratch-path "$scratch" -c release --static-swift-stdlib --disable-local-rpath \
        --product "$2" ${flags[@]+"${flags[@]}"}
}

# build_terminal PACKAGE PRODUCT SCRATCH: builds only the parts that chat in a terminal, unoptimized, in
# SCRATCH/terminal/debug.
#
# That takes a fraction of the time, and a changed script is compiled by itself.
build_terminal() {
    clear_moved_cache "$3"
    swift_build --package-path "$1" --scratch-path "$3/terminal" --disable-default-traits --product "$2"
}

# build_packages ROOT: builds only the dependencies in ROOT's Package.swift, the same as `build` does. It changes that file,
# and needs no other.
build_packages() {
    mkdir -p "$1/.build/nothing"
    touch "$1/.build/nothing/main.swift"
    cat >>"$1/Package.swift" <<'SWIFT'

// A program that does nothing and depends on everything.
var products: [String: Target.Dependency] = [:]
for dependency in package.targets.filter({ $0.type != .test }).flatMap(\.dependencies) {
    if case .productItem(let name, _, _, _) = dependency { products[name] = dependency }
}
package.products = []
package.targets = [
    .executableTarget(
        name: "nothing", dependencies: products.sorted { $0.key < $1.key }.map(\.value), path: ".build/nothing")
]
SWIFT
    build "$1" nothing
}
