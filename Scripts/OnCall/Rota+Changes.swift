import FoundationEssentials
import Heybot

// Changes of a rota. None of them changes whose turn it is now, unless that person is removed.

extension Rota {
    /// Returns the rota with another person, whose turn comes last.
    ///
    /// - Throws: A ``Refusal`` if the person is in the rota, or there are too many.
    func adding(_ user: User, at date: Date, in zone: IANATimeZone) throws(Refusal) -> Rota {
        guard !has(user.id) else { throw Refusal("\(user.shortName) is in that rota.") }
        guard people.count < Self.mostPeople else {
            throw Refusal("A rota can have at most \(Self.mostPeople) people.")
        }
        var rota = beginning(at: date, in: zone)
        rota.people.append(user)
        return rota
    }

    /// Returns the rota without a person, and without the exceptions for them.
    ///
    /// If it is that person's turn, the next one takes over.
    ///
    /// - Throws: A ``Refusal`` if the person isn't in the rota, or nobody would be left.
    func removing(_ user: User, at date: Date, in zone: IANATimeZone) throws(Refusal) -> Rota {
        guard has(user.id) else { throw Refusal("\(user.shortName) isn't in that rota.") }
        guard people.count > 1 else {
            throw Refusal("\(user.shortName) is the only one in that rota. Remove the rota instead.")
        }
        var rota = beginning(at: date, in: zone)
        rota.people.removeAll { $0.id == user.id }
        rota.overrides.removeAll { $0.user.id == user.id }
        return rota
    }

    /// Returns the rota with an exception: a person is on call for a while.
    ///
    /// - Parameter date: Now; exceptions that have ended are dropped.
    /// - Throws: A ``Refusal`` if there are too many exceptions.
    func overriding(with exceptions: [Override], at date: Date) throws(Refusal) -> Rota {
        var rota = self
        rota.overrides.removeAll { $0.end <= date }
        rota.overrides += exceptions
        guard rota.overrides.count <= Self.mostOverrides else {
            throw Refusal("A rota can have at most \(Self.mostOverrides) exceptions at a time.")
        }
        return rota
    }

    /// Returns the rota without the exceptions for a person.
    ///
    /// - Throws: A ``Refusal`` if there are none.
    func cancelingOverrides(with user: User, at date: Date, in zone: IANATimeZone) throws(Refusal) -> Rota {
        var rota = self
        rota.overrides.removeAll { $0.end <= date || $0.user.id == user.id }
        if overrides.contains(where: { $0.end > date && $0.user.id == user.id }) { return rota }
        guard onCall(at: date, in: zone)?.id == user.id else {
            throw Refusal("\(user.shortName) isn't on call out of turn.")
        }
        throw Refusal("It's \(user.shortName)'s turn. Tell me who takes over, and until when.")
    }

    /// Returns the rota with the next shifts of two people exchanged.
    ///
    /// A shift that has begun counts from now on.
    ///
    /// - Throws: A ``Refusal`` if one of them has no shift, or there are too many exceptions.
    func swapping(_ one: User, _ other: User, at date: Date, in zone: IANATimeZone) throws(Refusal) -> Rota {
        guard one.id != other.id else { throw Refusal("That's the same person twice.") }
        // Among so many shifts everyone has one: an exception divides a turn into three shifts at most.
        let coming = shifts(from: date, in: zone, atMost: 2 * (people.count + overrides.count))
        func next(of user: User) throws(Refusal) -> (start: Date, end: Date) {
            guard let shift = coming.first(where: { $0.user.id == user.id }), let end = shift.end else {
                throw Refusal("\(user.shortName) has no shift to swap.")
            }
            return (shift.start, end)
        }
        let first = try next(of: one)
        let second = try next(of: other)
        return try overriding(
            with: [
                Override(user: other, start: first.start, end: first.end),
                Override(user: one, start: second.start, end: second.end)
            ], at: date)
    }

    /// Returns the same rota, but with the present turn as the first one.
    private func beginning(at date: Date, in zone: IANATimeZone) -> Rota {
        let present = turn(at: date, in: zone)
        var rota = self
        rota.people = rotated(to: present)
        rota.start = moment(ofTurn: present)
        return rota
    }
}
