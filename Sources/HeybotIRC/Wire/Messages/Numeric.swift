/// The numeric replies that the session handles (RFC 2812 section 5, if not noted otherwise).
package enum Numeric: Int, Sendable {
    case welcome = 1
    /// `RPL_ISUPPORT`, in place of RFC 2812's `RPL_BOUNCE`.
    case supported = 5
    /// `RPL_WHOISCERTFP`: the fingerprint of a user's client certificate.
    case whoisCertificate = 276
    case whoisUser = 311
    case whoisServer = 312
    case whoisOperator = 313
    case endOfWho = 315
    case endOfWhois = 318
    case names = 353
    /// `RPL_WHOSPCRPL`: an answer to WHOX.
    case whoAnswer = 354
    case endOfNames = 366
    case endOfMessageOfTheDay = 376
    /// `RPL_VISIBLEHOST`: the host that other users see.
    case visibleHost = 396
    case noSuchNick = 401
    case noSuchChannel = 403
    case cannotSendToChannel = 404
    case tooManyChannels = 405
    case noSuchService = 408
    case noMessageOfTheDay = 422
    case erroneousNick = 432
    case nickInUse = 433
    case nickCollision = 436
    case unavailable = 437
    case notOnChannel = 442
    /// `ERR_FORBIDDENCHANNEL`.
    case forbiddenChannel = 448
    case wrongPassword = 464
    case bannedFromServer = 465
    /// `ERR_LINKCHANNEL`: forwarded to another channel.
    case forwarded = 470
    case channelIsFull = 471
    case inviteOnly = 473
    case bannedFromChannel = 474
    case badChannelKey = 475
    case badChannelMask = 476
    /// `ERR_NEEDREGGEDNICK`, in place of RFC 2812's `ERR_NOCHANMODES`.
    case accountsOnly = 477
    case notChannelOperator = 482
    /// `ERR_SECUREONLYCHAN`.
    case encryptedOnly = 489
    /// `ERR_OPERONLY`.
    case operatorsOnly = 520
    /// `ERR_CANTSENDTOUSER`.
    case cannotSendToUser = 531
    /// `RPL_MONONLINE` (IRCv3 monitor).
    case monitoredIsOnline = 730
    /// `RPL_MONOFFLINE`.
    case monitoredIsOffline = 731
    /// `ERR_MONLISTFULL`.
    case monitorListIsFull = 734
    // IRCv3 sasl-3.1.
    case loggedIn = 900
    case loggedOut = 901
    case nickLocked = 902
    case authenticated = 903
    case authenticationFailed = 904
    case authenticationTooLong = 905
    case authenticationAborted = 906
    case alreadyAuthenticated = 907
    case mechanisms = 908
}

extension IRCMessage {
    /// The numeric reply; nil if it is a command or an unknown reply.
    package var numeric: Numeric? {
        var number = 0
        var count = 0
        for byte in command.utf8 {
            guard (48...57).contains(byte), count < 3 else { return nil }
            number = number * 10 + Int(byte - 48)
            count += 1
        }
        return count == 3 ? Numeric(rawValue: number) : nil
    }
}
