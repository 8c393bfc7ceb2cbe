import Testing

@testable import CurlClient

/// Public addresses, by IANA's registries.
struct PublicAddressTests {
    @Test(arguments: [
        "1.0.0.0", "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
        "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
        "191.255.255.255", "192.0.1.0", "192.0.3.0", "192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0",
        "198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0",
        "223.255.255.255", "2000::", "2001:200::1", "2001:4860:4860::8888", "2001:db7:ffff::", "2001:db9::",
        "2003::", "2606:4700::1111", "3fff:1000::", "3ffe::1", "::ffff:8.8.8.8", "64:ff9b::808:808"
    ])
    func `an address that all reach is public`(_ address: String) throws {
        #expect(try #require(IPAddress(address)).isPublic)
    }

    @Test(arguments: [
        "0.0.0.0", "0.0.0.1", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255",
        "127.0.0.0", "127.0.0.1", "127.255.255.255", "169.254.0.0", "169.254.169.254", "169.254.255.255", "172.16.0.0",
        "172.31.255.255", "192.0.0.0", "192.0.0.255", "192.0.2.0", "192.0.2.255", "192.88.99.0", "192.88.99.255",
        "192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.0", "198.51.100.255",
        "203.0.113.0", "203.0.113.255", "224.0.0.0", "239.255.255.255", "240.0.0.0", "255.255.255.254",
        "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.1.2.3", "::ffff:0:127.0.0.1",
        "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "100::1", "1fff:ffff::", "2001::1", "2001:0:4136::1",
        "2001:2::1", "2001:10::1", "2001:1ff:ffff::", "2001:db8::", "2001:db8:ffff::", "2002:7f00:1::",
        "2002:808:808::1", "3fff::1", "3fff:fff::", "4000::", "5f00::1", "8000::1", "fc00::1", "fd00::2",
        "fdff:ffff::1", "fe80::1", "febf::1", "fec0::1", "feff::1", "ff00::", "ff02::1", "ffff::"
    ])
    func `one that they don't isn't`(_ address: String) throws {
        #expect(try !#require(IPAddress(address)).isPublic)
    }

    @Test(arguments: ["2130706433", "0177.0.0.1", "0x7f.0.0.1", "0x7f000001", "127.1", "017700000001", "127.0.1"])
    func `IPv4 has many spellings`(_ text: String) {
        #expect(IPAddress(text)?.bytes.first == 127)
    }

    @Test(arguments: ["", "localhost", "256.1.1.1", "1.2.3.4.5", "example.org", "::g", "fe80::1%eth0", "127.0.0.1."])
    func `invalid addresses are rejected`(_ text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test func `a range contains the addresses with its prefix`() throws {
        let range = try #require(AddressRange("192.0.2.128/25"))
        for (text, isIn) in [
            ("192.0.2.127", false), ("192.0.2.128", true), ("192.0.2.255", true), ("192.0.3.0", false),
            ("::ffff:192.0.2.128", false)
        ] {
            #expect(range.contains(try #require(IPAddress(text))) == isIn)
        }
        #expect(try #require(AddressRange("0.0.0.0/0")).contains(try #require(IPAddress("255.255.255.255"))))
        #expect(try !#require(AddressRange("::1/128")).contains(try #require(IPAddress("::2"))))
        for text in ["", "192.0.2.0", "192.0.2.0/33", "192.0.2.0/-1", "x/8", "::/129", "::/"] {
            #expect(AddressRange(text) == nil)
        }
    }
}
