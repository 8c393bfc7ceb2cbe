/// This release of Heybot, as `heybot --version` prints it.
public let heybotVersion = "0.1.0"
