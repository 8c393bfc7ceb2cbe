public import Heybot

// Whether Campfire knows the bot and its rooms, found out by reading them.

extension CampfireAdapter: Checkable {
    public func check(within limit: Duration, _ tell: @escaping @Sendable (CheckStep) -> Void) async {
        let asking = Task { await ask(tell) }
        let waiting = Task {
            try await sleep(limit)
            asking.cancel()
        }
        await asking.value
        waiting.cancel()
    }

    private func ask(_ tell: (CheckStep) -> Void) async {
        var steps: [CheckStep] = []
        // Without a room to look at there is one that can't be: what is said of it tells of the key.
        for room in configuration.rooms.isEmpty ? [Self.noRoom] : configuration.rooms {
            do {
                _ = try await service.messages(in: room)
                steps.append(CheckStep("room \(room)", .passed("it can be read")))
            } catch CampfireError.unknownRoom where room == Self.noRoom {
                continue
            } catch CampfireError.unknownRoom {
                steps.append(
                    CheckStep(
                        "room \(room)",
                        .failed(
                            "there is no such room, or the bot isn't in it, or this Campfire is too old to be read",
                            cure: "add the bot to the room, or take it out of \(names.rooms)")))
            } catch {
                return tell(CheckStep(configuration.url, outcome(error)))
            }
        }
        tell(CheckStep(configuration.url, .passed("it answers, and takes the bot's key")))
        steps.forEach(tell)
        if configuration.webhookSecret != nil {
            tell(CheckStep("webhook", .skipped("whether Campfire reaches it shows when somebody mentions the bot")))
        }
    }

    private var names: OptionNames { configuration.optionNames }

    private static let noRoom = "0"

    private func outcome(_ error: any Error) -> CheckStep.Outcome {
        switch error {
        case CampfireError.wrongKey:
            .failed(
                "it doesn't know the bot's key",
                cure: "check \(names.key), and http or https in \(names.url)")
        case is CancellationError:
            .failed("it doesn't answer in time", cure: "check \(names.url), and that the Campfire is up")
        default: .failed("\(error)", cure: "check \(names.url), and that the Campfire is up")
        }
    }
}
