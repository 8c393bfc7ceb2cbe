/// The version of this release, as `heybot --version` prints it.
public let heybotVersion = "0.1.0"
