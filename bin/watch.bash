# Runs a robot, and builds it again whenever one of its files is saved. Used by bin/run.bash.
#
# If its connections and its scripts are in two processes, it then gets a new worker, and stays in its rooms. Any other robot is
# started again.

# watch ARGUMENTS...: what `run` calls for the option --watch, with its variables.
watch() {
    built=$package/.build/run
    # The copy's name, the function that builds it, and the result.
    local copy=watched function=build_watched result=$scratch/watch/debug/$product builder status
    if chats_here "$@"; then
        copy=terminal function=build_terminal result=$scratch/terminal/debug/$product
    fi
    . "$(dirname "${BASH_SOURCE[0]}")/setup.bash"
    need_swift
    need_libraries
    mkdir -p "$built"
    export HEYBOT_SINGLE=${HEYBOT_SINGLE:-false}
    touch "$built/tried"
    if ! is_current "$built/$copy"; then
        say "building; the first time takes a few minutes"
        make "$copy" "$function" "$result"
    fi
    rm -f "$built/again"
    say "watching ${watched[*]}"
    # In a process group of its own, so that Ctrl-C reaches only the robot.
    set -m
    keep_building </dev/null &
    builder=$!
    set +m
    trap 'kill -- "-$builder" 2>/dev/null || true' EXIT
    while true; do
        status=0
        rm -f "$built/gateway"
        # The shell that writes its process id becomes the robot. A gateway writes it again when it takes SIGUSR1.
        WATCHED_GATEWAY=$built/gateway \
            sh -c 'echo $$ >"$0" && exec "$@"' "$built/robot.pid" "$built/$copy" "$@" || status=$?
        [ -e "$built/again" ] || exit "$status"
        rm -f "$built/again"
    done
}

# keep_building: builds whenever a watched file was saved, and has the robot use the result.
keep_building() {
    local start robot
    while sleep 0.5; do
        # Hidden files are those of editors.
        [ -n "$(find "${watched[@]}" -type f ! -name '.*' -newer "$built/tried" -print -quit)" ] || continue
        # Before the build, so that a file that is saved meanwhile is built next.
        touch "$built/tried"
        start=$SECONDS
        say "rebuilding"
        # `make` exits if the build fails.
        if ! (make "$copy" "$function" "$result") >"$built/watch.log" 2>&1; then
            grep -F 'error:' "$built/watch.log" >&2 || cat "$built/watch.log" >&2
            say "the build failed; the robot goes on as it was"
            continue
        fi
        say "rebuilt in $((SECONDS - start)) s"
        robot=$(cat "$built/robot.pid")
        if [ "$(cat "$built/gateway" 2>/dev/null)" = "$robot" ]; then
            kill -s USR1 "$robot" || true
        else
            touch "$built/again"
            kill -s TERM "$robot" || true
        fi
    done
}

# build_watched PACKAGE PRODUCT SCRATCH: builds all parts, unoptimized, in SCRATCH/watch/debug.
build_watched() {
    clear_moved_cache "$3"
    swift_build --package-path "$1" --scratch-path "$3/watch" --product "$2"
}
