public import Heybot

// The preflight check: reads the bot's rooms.

extension CampfireAdapter: PreflightCheckable {
    public func check(within limit: Duration, _ tell: @escaping @Sendable (PreflightCheckResult) -> Void) async {
        let asking = Task { await ask(tell) }
        let waiting = Task {
            try await sleep(limit)
            asking.cancel()
        }
        await asking.value
        waiting.cancel()
    }

    private func ask(_ tell: (PreflightCheckResult) -> Void) async {
        var steps: [PreflightCheckResult] = []
        // Without any room to check, request one that can't exist: the error shows whether the key is valid.
        for room in configuration.rooms.isEmpty ? [Self.noRoom] : configuration.rooms {
            do {
                _ = try await api.messages(in: room)
                steps.append(PreflightCheckResult("room \(room)", .passed("it can be read")))
            } catch CampfireError.unknownRoom where room == Self.noRoom {
                continue
            } catch CampfireError.unknownRoom {
                steps.append(
                    PreflightCheckResult(
                        "room \(room)",
                        .failed(
                            "there is no such room, the bot isn't in it, or Campfire is too old to let bots read rooms",
                            fix: "add the bot to the room, or remove the room from \(names.rooms)")))
            } catch {
                return tell(PreflightCheckResult(configuration.url, outcome(error)))
            }
        }
        tell(PreflightCheckResult(configuration.url, .passed("reachable, and the bot's key is valid")))
        steps.forEach(tell)
        if configuration.webhookSecret != nil {
            tell(
                PreflightCheckResult("webhook", .skipped("mention the bot to see whether Campfire reaches the webhook"))
            )
        }
    }

    private var names: OptionNamesInHints { configuration.optionNames }

    private static let noRoom = "0"

    private func outcome(_ error: any Error) -> PreflightCheckResult.Outcome {
        switch error {
        case CampfireError.wrongKey:
            .failed(
                "the bot's key is invalid",
                fix: "check \(names.key), and whether \(names.url) should begin with http or https")
        case is CancellationError:
            .failed("it didn't answer in time", fix: "check \(names.url), and that Campfire is up")
        default: .failed("\(error)", fix: "check \(names.url), and that Campfire is up")
        }
    }
}
