# A minimal Debian in a directory, for tests that must not depend on this machine's packages.

# make_root DIR: installs this machine's Debian release, with its apt sources, proxies and certificates. Needs root.
#
# Passwords for apt sources are left out, since the directory may be kept.
make_root() {
    local codename mirror folder
    need_debian_packages debootstrap
    codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
    mirror=$(apt-get indextargets --format '$(REPO_URI)' "Codename: $codename" 'Component: main' | head -n 1)
    if [ -z "$mirror" ]; then
        say "apt has no package list of $codename: run apt-get update and try again"
        return 69
    fi
    # In its own mount namespace, so that its mounts end with it.
    unshare --mount debootstrap --variant=minbase "$codename" "$1" "$mirror" </dev/null >&2 || return
    # The same apt configuration as on this machine.
    rm -rf "$1/etc/apt"
    cp -a /etc/apt "$1/etc/apt"
    rm -rf "$1/etc/apt"/auth.conf "$1/etc/apt"/auth.conf.d/*
    cp -a --update /usr/share/keyrings/. "$1/usr/share/keyrings/"
    for folder in /etc/ssl/certs /usr/local/share/ca-certificates; do
        if [ -d $folder ]; then
            mkdir -p "$1$folder"
            cp -aL $folder/. "$1$folder/"
        fi
    done
}

# copy_apt_passwords DIR: copies the passwords into a temporary Debian made by make_root.
copy_apt_passwords() {
    if [ -e /etc/apt/auth.conf ]; then cp -a /etc/apt/auth.conf "$1/etc/apt/"; fi
    if [ -d /etc/apt/auth.conf.d ]; then cp -a /etc/apt/auth.conf.d "$1/etc/apt/"; fi
}

# toolchain_folder: prints the directory of this machine's Swift, which can be mounted in the Debian at the same path.
toolchain_folder() {
    local folder
    folder=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")
    if [ "$folder" = /usr ]; then
        say "Swift is installed in /usr: install it in its own directory, such as /opt/swift"
        return 69
    fi
    echo "$folder"
}
