/// Something that carries out commands of the Music Player Daemon (MPD): a music player.
package protocol MPDCommandPerformer: Sendable {
    /// Its address, for errors and as its name in the brain.
    var address: MPDAddress { get }

    /// Carries out commands in order, up to the first that fails, without another request in between.
    ///
    /// - Returns: An answer for each command.
    /// - Throws: ``PlayerError`` if one of them wasn't carried out.
    nonisolated(nonsending) func perform(_ commands: [MPDCommand]) async throws(PlayerError) -> [MPDResponse]

    /// Connects, stays connected, and yields whenever the player may have begun another song.
    ///
    /// Changes that nobody has taken yet count as one. Call it once.
    func changes() -> AsyncStream<Void>
}
