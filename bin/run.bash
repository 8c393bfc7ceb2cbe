# Builds a robot if it isn't built yet or has changed, and runs it. Shared by bin/heybot and bots made with `heybot new`.
#
# A robot that chats in this terminal only starts with a small unoptimized build, in which a changed script is compiled in
# seconds. If a person chats with it, the whole robot is built in the background, and used at the next start.

# run PACKAGE PRODUCT SCRATCH LAUNCHER WATCHED... -- ARGUMENTS...: builds PRODUCT of the package in the directory PACKAGE,
# with SCRATCH as SwiftPM's build directory, if the paths WATCHED (relative to PACKAGE) have changed, and runs it.
#
# LAUNCHER is the command that calls this function. If the first argument is --watch, it builds again whenever a file is saved.
run() {
    local package=$1 product=$2 scratch=$3 launcher=$4 watched=()
    shift 4
    while [ "$1" != -- ]; do
        case $1 in
            /*) watched+=("$1") ;;
            *) watched+=("$package/$1") ;;
        esac
        shift
    done
    shift
    # With a heap for each thread, memory freed by one couldn't be reused by others, and would grow under load.
    export MALLOC_ARENA_MAX=${MALLOC_ARENA_MAX:-2}
    if [ "${1:-}" = --watch ]; then
        shift
        . "$(dirname "${BASH_SOURCE[0]}")/watch.bash"
        watch "$@"
    fi
    # What was built: copies, since other packages may use the same build directory. Each is as old as its sources.
    local built=$package/.build/run
    if ! is_current "$built/whole"; then
        . "$(dirname "${BASH_SOURCE[0]}")/setup.bash"
        need_swift
        need_libraries
        mkdir -p "$built"
        if chats_here "$@"; then
            if ! is_current "$built/terminal"; then
                if [ -x "$built/terminal" ]; then
                    say "rebuilding"
                else
                    say "building the part that chats in a terminal, which takes about two minutes"
                fi
                make terminal build_terminal "$scratch/terminal/debug/$product"
            fi
            # A script that calls this doesn't expect a process that outlives it.
            if [ -t 0 ]; then
                say "building the whole robot in the background, for IRC, XMPP and the web"
                build_in_background
            fi
            exec "$built/terminal" "$@"
        fi
        # A build at the lowest priority would make this one wait.
        if is_building && [ "$(cat "$built/pid")" != $$ ]; then kill -- "-$(cat "$built/pid")" 2>/dev/null || true; fi
        if [ -x "$built/whole" ]; then say "rebuilding"; else say "building; the first time takes a few minutes"; fi
        make whole build "$scratch/release/$product"
    fi
    exec "$built/whole" "$@"
}

# is_current BINARY: whether it is newer than all sources.
is_current() {
    [ -x "$1" ] && [ -z "$(find "${watched[@]}" -newer "$1" -print -quit)" ]
}

# make NAME FUNCTION BINARY: builds the binary with the function, and copies it.
make() {
    local copy=$built/$1.$$
    # The copy is as old as the beginning of the build, so that it is older than files that change during the build.
    touch "$copy.begin"
    if ! "$2" "$package" "$product" "$scratch"; then
        rm -f "$copy.begin"
        say "the build failed; see above"
        exit 70
    fi
    cp "$3" "$copy"
    touch -r "$copy.begin" "$copy"
    rm "$copy.begin"
    # The old one may be running.
    mv "$copy" "$built/$1"
}

# chats_here ARGUMENTS...: whether they, the environment and the settings file need only what chats in a terminal.
chats_here() {
    case ${1:-} in new | help | -h | --help) return 0 ;; esac
    local file=${HEYBOT_CONFIG:-heybot.json}
    while [ $# -gt 0 ]; do
        case $1 in
            -e | --execute | -n | --name | --data | --log-level)
                [ $# -gt 1 ] || return 1
                shift
                ;;
            --execute=* | --name=* | --data=* | --log-level=* | -d | --disable-httpd | --single) ;;
            *) return 1 ;;
        esac
        shift
    done
    if [ -e "$file" ] && grep -qE "\b(adapters|irc|xmpp|gtalk|campfire|redis|mpd|deploy|httpd)\b[\"']?[[:space:]]*:" "$file"; then
        return 1
    fi
    ! env | grep -vE '^HEYBOT_(CONFIG|SOURCES|DATA|NAME|ALIAS|LOG_LEVEL|AUTH_ADMIN|SINGLE)=' |
        grep -qE '^((HEYBOT|HUBOT|EXPRESS|REDIS|REDISTOGO|REDISCLOUD|BOXEN)_|(PORT|BIND_ADDRESS|CONNECT_USER)=)'
}

# run_tests PACKAGE SCRATCH ARGUMENTS...: runs a package's tests, with SCRATCH/terminal as SwiftPM's build directory.
run_tests() {
    local package=$1 scratch=$2
    shift 2
    . "$(dirname "${BASH_SOURCE[0]}")/setup.bash"
    need_swift
    need_libraries
    clear_moved_cache "$scratch"
    exec swift test --no-color-diagnostics --package-path "$package" --scratch-path "$scratch/terminal" \
        --disable-default-traits "$@"
}

# is_building: whether the whole robot is being built in the background.
is_building() {
    local id
    id=$(cat "$built/pid" 2>/dev/null) && ps -o command= -p "$id" 2>/dev/null | grep -qF "$launcher"
}

# build_in_background: builds the whole robot at the lowest priority, in a process group of its own.
build_in_background() {
    if is_building; then return; fi
    (
        set -m
        nice -n 19 "$launcher" --version </dev/null >"$built/log" 2>&1 &
        echo $! >"$built/pid"
    )
}
