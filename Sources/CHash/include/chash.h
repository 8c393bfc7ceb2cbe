#ifndef CHASH_H
#define CHASH_H

#include <stddef.h>
#include <stdint.h>

// Hash functions (FIPS 180-4) of OpenSSL's libcrypto, or of CommonCrypto on Apple's systems.
//
// libcrypto's own functions for each hash, rather than its EVP interface: linked statically, they are some 40 KB of the program, and
// need no set-up at its start. A whole libcrypto is a megabyte and a half of memory as soon as it is loaded.
typedef enum { chash_sha1, chash_sha256, chash_sha384, chash_sha512 } chash_function;

// The number of bytes of the longest digest.
#define CHASH_MAX_DIGEST 64

// The number of bytes of a function's digest.
size_t chash_size(chash_function function);

// Writes the digest of data.
void chash_digest(chash_function function, const uint8_t *data, size_t count, uint8_t *digest);

// Writes the message authentication code of data (HMAC, RFC 2104).
void chash_hmac(
    chash_function function, const uint8_t *key, size_t key_count, const uint8_t *data, size_t count, uint8_t *code);

// Writes a key of as many bytes as a digest, derived from a password (PBKDF2 with HMAC, RFC 8018 section 5.2).
void chash_pbkdf2(
    chash_function function, const uint8_t *password, size_t password_count, const uint8_t *salt, size_t salt_count,
    uint32_t rounds, uint8_t *key);

#endif
