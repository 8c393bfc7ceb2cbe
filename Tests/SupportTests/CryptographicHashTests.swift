import Foundation
import HeybotSupport
import Testing

@Suite struct CryptographicHashTests {
    private func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }

    // NIST's examples for FIPS 180-4.
    @Test(arguments: [
        (CryptographicHash.sha1, "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        (.sha1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (.sha1, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
        (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            .sha256, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            .sha384, "",
            "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b"
        ),
        (
            .sha384, "abc",
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
        )
    ])
    func `digests`(_ function: CryptographicHash, _ text: String, _ digest: String) {
        #expect(hex(function.hash(text.utf8)) == digest)
        #expect(digest.count == 2 * function.byteCount)
    }

    @Test func `a million letters, and every length around the end of a block`() {
        let letters = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        #expect(hex(CryptographicHash.sha1.hash(letters)) == "34aa973cd4c4daa4f61eeb2bdbad27316534016f")
        #expect(
            hex(CryptographicHash.sha256.hash(letters))
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        )
        #expect(Set((0...200).map { CryptographicHash.sha256.hash(letters.prefix($0)) }).count == 201)
    }

    // RFC 2202 section 3 and RFC 4231 section 4.
    @Test(arguments: [
        (
            CryptographicHash.sha1, [UInt8](repeating: 0x0b, count: 20), "Hi There",
            "b617318655057264e28bc0b6fb378c8ef146be00"
        ),
        (.sha1, Array("Jefe".utf8), "what do ya want for nothing?", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
        (
            .sha1, [UInt8](repeating: 0xaa, count: 80), "Test Using Larger Than Block-Size Key - Hash Key First",
            "aa4ae5e15272d00e95705637ce8a3b55ed402112"
        ),
        (
            .sha256, [UInt8](repeating: 0x0b, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            .sha256, Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            .sha256, [UInt8](repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        )
    ])
    func `message authentication codes`(_ function: CryptographicHash, _ key: [UInt8], _ text: String, _ code: String) {
        #expect(hex(function.authenticationCode(for: Array(text.utf8), key: key)) == code)
    }

    @Test func `a code of nothing, and without a key`() {
        #expect(
            hex(CryptographicHash.sha256.authenticationCode(for: [], key: []))
                == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    // RFC 6070 section 2, and RFC 7914 section 11 as far as a digest reaches.
    @Test(arguments: [
        (CryptographicHash.sha1, "password", "salt", 1, "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
        (.sha1, "password", "salt", 2, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
        (.sha1, "password", "salt", 4_096, "4b007901b765489abead49d926f721d065a429c1"),
        (.sha256, "passwd", "salt", 1, "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"),
        (.sha256, "Password", "NaCl", 80_000, "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56")
    ])
    func `derived keys`(_ function: CryptographicHash, _ password: String, _ salt: String, _ rounds: Int, _ key: String)
    {
        #expect(hex(function.derivedKey(password: Array(password.utf8), salt: Array(salt.utf8), rounds: rounds)) == key)
    }

    // NIST's example, RFC 4231 section 4, and the key as Python's hashlib derives it.
    @Test func `SHA-512, whose blocks are longer`() {
        let function = CryptographicHash.sha512
        #expect(function.byteCount == 64)
        #expect(
            hex(function.hash("abc".utf8)) == """
                ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
                2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f
                """)
        let code = function.authenticationCode(for: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        #expect(
            hex(code) == """
                164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554\
                9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737
                """)
        let longKey = [UInt8](repeating: 0xaa, count: 131)
        let text = Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)
        #expect(
            hex(function.authenticationCode(for: text, key: longKey)) == """
                80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352\
                6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598
                """)
        let key = function.derivedKey(password: Array("password".utf8), salt: Array("salt".utf8), rounds: 4_096)
        #expect(
            hex(key) == """
                d197b1b33db0143e018b12f3d1d1479e6cdebdcc97c5c0f87f6902e072f457b5\
                143f30602641b3d55cd335988cb36b84376060ecd532e039b742a239434af2d5
                """)
    }

    @Test func `codes are equal if all bytes are`() {
        #expect(CryptographicHash.areEqual([1, 2, 3], [1, 2, 3]) && CryptographicHash.areEqual([], []))
        for other in [[], [1, 2], [1, 2, 3, 0], [0, 2, 3], [1, 2, 2]] as [[UInt8]] {
            #expect(!CryptographicHash.areEqual([1, 2, 3], other))
        }
    }
}
