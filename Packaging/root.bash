# A bare Debian in a folder, to try things in that must not depend on what this machine happens to have.

# make_root DIR: this machine's release of Debian there, with its apt sources, proxies and certificates. Only root can.
make_root() {
    local codename mirror
    need_debian_packages debootstrap
    codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
    mirror=$(apt-get indextargets --format '$(REPO_URI)' "Codename: $codename" 'Component: main' | head -n 1)
    if [ -z "$mirror" ]; then
        say "apt has no list of the packages of $codename: run apt-get update and try again"
        return 69
    fi
    debootstrap --variant=minbase "$codename" "$1" "$mirror" </dev/null >&2 || return
    # What is fetched there is fetched as it is here.
    rm -rf "$1/etc/apt"
    cp -a /etc/apt "$1/etc/apt"
    cp -a --update /usr/share/keyrings/. "$1/usr/share/keyrings/"
    if [ -d /etc/ssl/certs ]; then
        mkdir -p "$1/etc/ssl/certs" "$1/usr/local/share/ca-certificates"
        cp -aL /etc/ssl/certs/. "$1/etc/ssl/certs/"
        cp -aL /usr/local/share/ca-certificates/. "$1/usr/local/share/ca-certificates/"
    fi
}
