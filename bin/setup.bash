# What the commands beside this share: finding what is missing on the machine, installing it, and building.
# Everything said here goes to standard error; standard output is the robot's.

say() { printf 'heybot: %s\n' "$*" >&2; }

# Ends with a word on where to get Swift, unless a new enough one is here.
need_swift() {
    local version
    if ! command -v swift >/dev/null; then
        say "there is no Swift toolchain here: get Swift 6.2 or newer from https://www.swift.org/install and try again"
        exit 69
    fi
    version=$(swift --version 2>/dev/null </dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1 || true)
    if [ -z "$version" ]; then
        say "the swift in your PATH is no Swift toolchain, or one that doesn't run: try 'swift --version', or get Swift 6.2 or newer from https://www.swift.org/install"
        exit 69
    fi
    if [ "${version%%.*}" -lt 6 ] || { [ "${version%%.*}" -eq 6 ] && [ "${version#*.}" -lt 2 ]; }; then
        say "Swift $version is too old: get 6.2 or newer from https://www.swift.org/install and try again"
        exit 69
    fi
}

# need_packages DEBIAN_PACKAGES BREW_FORMULAS: installs those of them that are missing.
need_packages() {
    if command -v dpkg-query >/dev/null; then
        need_debian_packages $1
    elif command -v brew >/dev/null; then
        need_brew_formulas $2
    else
        say "this system has neither apt-get nor brew, so see for yourself that it has what Debian calls: $1"
    fi
}

need_debian_packages() {
    local missing=() as_root=() package
    for package in "$@"; do
        dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            say "these packages are missing: ${missing[*]}; have them installed with apt-get and try again"
            exit 69
        fi
        as_root=(sudo)
    fi
    say "installing ${missing[*]}"
    install_missing() {
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null >&2
    }
    # The lists may be missing or old: fetch them where it doesn't go without.
    install_missing 2>/dev/null || { "${as_root[@]}" apt-get update -qq </dev/null >&2 && install_missing; } || {
        say "installing ${missing[*]} failed; see above"
        exit 69
    }
}

# need_servers PACKAGES: installs those of them that are missing, and has none of them started or enabled.
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
            # What Debian asks whether a service may be started; it goes again, whatever happens.
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

# forget_place ROOT: removes what the compiler keeps in ROOT/.build if that was made at another path, since the folder was
# moved or copied: compiled modules hold their path, and can't be used from another.
forget_place() {
    local place=$1/.build/heybot.place before
    mkdir -p "$1/.build"
    before=$(cat "$place" 2>/dev/null || true)
    [ "$before" != "$1" ] || return 0
    [ -z "$before" ] || say "this folder was at $before: making the compiler's module cache again"
    rm -rf "$1"/.build/*/*/ModuleCache
    printf '%s\n' "$1" >"$place"
}

# build ROOT PRODUCT: for release, into ROOT/.build/release, with Swift's libraries linked in.
build() {
    local flags=() library
    forget_place "$1"
    if [ "$(uname)" != Darwin ]; then
        # A robot at rest is a megabyte smaller with the C++ library linked in too, which the linker does where it finds
        # no shared one first, and smaller still where it exports nothing.
        flags=(-Xswiftc -use-ld=lld -Xlinker --no-export-dynamic)
        library=$(gcc -print-file-name=libstdc++.a 2>/dev/null || clang -print-file-name=libstdc++.a 2>/dev/null || true)
        if [ -f "$library" ]; then
            mkdir -p "$1/.build/static"
            ln -sf "$(readlink -f "$library")" "$1/.build/static/libstdc++.a"
            flags+=(-Xlinker "-L$1/.build/static")
        fi
    fi
    # What is linked in is not looked for beside the program.
    swift build --no-color-diagnostics --package-path "$1" -c release --static-swift-stdlib --disable-local-rpath --product "$2" \
        ${flags[@]+"${flags[@]}"} </dev/null >&2
}

# build_packages ROOT: only the packages that ROOT's Package.swift names, as `build` builds them. That file is changed, and
# is all that need be there.
build_packages() {
    mkdir -p "$1/.build/nothing"
    touch "$1/.build/nothing/main.swift"
    cat >>"$1/Package.swift" <<'SWIFT'

// One program that does nothing, and depends on everything.
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
