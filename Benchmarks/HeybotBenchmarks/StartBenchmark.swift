import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Measures the time from the start of the command to its first answer, and its memory at rest.
enum StartBenchmark {
    static func run() throws {
        guard let own = CommandLine.arguments.first else { return }
        let program =
            own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/heybot"
        guard access(program, X_OK) == 0 else {
            print("(\(program) isn't built, so its start isn't measured)")
            return
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "heybot-benchmark-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var times: [Double] = []
        var memory: [Double] = []
        for round in 0...20 {
            let clock = ContinuousClock()
            let start = clock.now
            let chat = try Chat(program, data: folder.path)
            chat.say("ping\n")
            guard chat.hears("PONG") else {
                print("(\(program) doesn't answer)")
                return
            }
            let time = start.duration(to: clock.now).seconds * 1e3
            // By then the startup memory is released.
            usleep(1_500_000)
            // The first round creates the brain, and warms up.
            if round > 0 {
                times.append(time)
                if let resident = chat.residentMegabytes { memory.append(resident) }
            }
            chat.end()
        }
        report("start of the command to its first answer", median(times), "ms")
        if !memory.isEmpty { report("its resident memory at rest after that", median(memory), "MB") }
    }

    /// A running `heybot` with its input and output.
    private final class Chat {
        private let pid: pid_t
        private let input: Int32
        private let output: Int32

        init(_ program: String, data: String) throws {
            var (toChat, fromChat): ([Int32], [Int32]) = ([0, 0], [0, 0])
            guard pipe(&toChat) == 0, pipe(&fromChat) == 0 else { throw CocoaError(.fileReadUnknown) }
            for descriptor in [toChat[1], fromChat[0]] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
            #if canImport(Darwin)
                var actions: posix_spawn_file_actions_t?
            #else
                var actions = posix_spawn_file_actions_t()
            #endif
            posix_spawn_file_actions_init(&actions)
            posix_spawn_file_actions_adddup2(&actions, toChat[0], 0)
            posix_spawn_file_actions_adddup2(&actions, fromChat[1], 1)
            defer { posix_spawn_file_actions_destroy(&actions) }
            var pid = pid_t()
            var arguments: [UnsafeMutablePointer<CChar>?] =
                [program, "--data", data].map { (argument: String) in strdup(argument) } + [nil]
            defer { for argument in arguments { free(argument) } }
            guard posix_spawn(&pid, program, &actions, nil, &arguments, environ) == 0 else {
                throw CocoaError(.fileReadUnknown)
            }
            close(toChat[0])
            close(fromChat[1])
            (self.pid, input, output) = (pid, toChat[1], fromChat[0])
        }

        func say(_ text: String) {
            _ = Array(text.utf8).withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
        }

        func hears(_ text: String) -> Bool {
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = read(output, &bytes, bytes.count)
            return count > 0 && String(decoding: bytes[..<count], as: UTF8.self).contains(text)
        }

        /// The resident memory from /proc; nil if that isn't available.
        var residentMegabytes: Double? {
            guard let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8) else { return nil }
            guard let match = status.firstMatch(of: /VmRSS:\s+(\d+) kB/), let kilobytes = Double(match.1) else {
                return nil
            }
            return kilobytes / 1024
        }

        func end() {
            close(input)
            var status: Int32 = 0
            waitpid(pid, &status, 0)
            close(output)
        }
    }
}
