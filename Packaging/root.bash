# A bare Debian in a folder, to try things in that must not depend on what this machine happens to have.

# make_root DIR: this machine's release of Debian there, with its apt sources, proxies and certificates. Only root can.
#
# The passwords of apt's sources aren't in it, since it may be kept.
make_root() {
    local codename mirror folder
    need_debian_packages debootstrap
    codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
    mirror=$(apt-get indextargets --format '$(REPO_URI)' "Codename: $codename" 'Component: main' | head -n 1)
    if [ -z "$mirror" ]; then
        say "apt has no list of the packages of $codename: run apt-get update and try again"
        return 69
    fi
    # What it mounts goes with it, however it ends.
    unshare --mount debootstrap --variant=minbase "$codename" "$1" "$mirror" </dev/null >&2 || return
    # What is fetched there is fetched as it is here.
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

# copy_apt_passwords DIR: hands them on to a Debian that make_root has made, and that doesn't stay.
copy_apt_passwords() {
    if [ -e /etc/apt/auth.conf ]; then cp -a /etc/apt/auth.conf "$1/etc/apt/"; fi
    if [ -d /etc/apt/auth.conf.d ]; then cp -a /etc/apt/auth.conf.d "$1/etc/apt/"; fi
}

# toolchain_folder: where this machine's Swift is, which can be mounted in such a Debian at the same place.
toolchain_folder() {
    local folder
    folder=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")
    if [ "$folder" = /usr ]; then
        say "this machine's Swift is in /usr: put it into a folder of its own, such as /opt/swift"
        return 69
    fi
    echo "$folder"
}
