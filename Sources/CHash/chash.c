#include "chash.h"

#include <string.h>

#ifdef __APPLE__
#define COMMON_DIGEST_FOR_OPENSSL
#include <CommonCrypto/CommonDigest.h>
#define SHA_CTX CC_SHA1_CTX
#define SHA256_CTX CC_SHA256_CTX
#define SHA512_CTX CC_SHA512_CTX
#else
// They are deprecated in favor of EVP, which looks each function up at run time.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
#endif

enum { max_block_size = 128 };

typedef struct {
    chash_function function;
    union {
        SHA_CTX sha1;
        SHA256_CTX sha256;
        // SHA-384 is SHA-512 with another beginning and a shorter end.
        SHA512_CTX sha512;
    } state;
} hash;

size_t chash_size(chash_function function) {
    switch (function) {
    case chash_sha1: return 20;
    case chash_sha256: return 32;
    case chash_sha384: return 48;
    case chash_sha512: return 64;
    }
}

// The number of bytes that the function hashes at a time.
static size_t block_size(chash_function function) {
    return function == chash_sha384 || function == chash_sha512 ? 128 : 64;
}

static void begin(hash *hash, chash_function function) {
    hash->function = function;
    switch (function) {
    case chash_sha1: SHA1_Init(&hash->state.sha1); break;
    case chash_sha256: SHA256_Init(&hash->state.sha256); break;
    case chash_sha384: SHA384_Init(&hash->state.sha512); break;
    case chash_sha512: SHA512_Init(&hash->state.sha512); break;
    }
}

static void add(hash *hash, const uint8_t *data, size_t count) {
    switch (hash->function) {
    case chash_sha1: SHA1_Update(&hash->state.sha1, data, count); break;
    case chash_sha256: SHA256_Update(&hash->state.sha256, data, count); break;
    case chash_sha384: SHA384_Update(&hash->state.sha512, data, count); break;
    case chash_sha512: SHA512_Update(&hash->state.sha512, data, count); break;
    }
}

static void end(hash *hash, uint8_t *digest) {
    switch (hash->function) {
    case chash_sha1: SHA1_Final(digest, &hash->state.sha1); break;
    case chash_sha256: SHA256_Final(digest, &hash->state.sha256); break;
    case chash_sha384: SHA384_Final(digest, &hash->state.sha512); break;
    case chash_sha512: SHA512_Final(digest, &hash->state.sha512); break;
    }
}

void chash_digest(chash_function function, const uint8_t *data, size_t count, uint8_t *digest) {
    hash all;
    begin(&all, function);
    add(&all, data, count);
    end(&all, digest);
}

// The inner and the outer hash of HMAC after the key, which every message with that key begins with.
typedef struct {
    hash inner, outer;
} keyed;

static void begin_keyed(keyed *keyed, chash_function function, const uint8_t *key, size_t count) {
    uint8_t block[max_block_size] = {0};
    const size_t size = block_size(function);
    if (count > size) {
        chash_digest(function, key, count, block);
    } else if (count > 0) {
        memcpy(block, key, count);
    }
    for (size_t i = 0; i < size; i++) block[i] ^= 0x36;
    begin(&keyed->inner, function);
    add(&keyed->inner, block, size);
    for (size_t i = 0; i < size; i++) block[i] ^= 0x36 ^ 0x5c;
    begin(&keyed->outer, function);
    add(&keyed->outer, block, size);
}

// Ends the code of what was added to the inner hash.
static void end_keyed(keyed *keyed, uint8_t *code) {
    uint8_t digest[CHASH_MAX_DIGEST];
    end(&keyed->inner, digest);
    add(&keyed->outer, digest, chash_size(keyed->outer.function));
    end(&keyed->outer, code);
}

void chash_hmac(
    chash_function function, const uint8_t *key, size_t key_count, const uint8_t *data, size_t count, uint8_t *code) {
    keyed all;
    begin_keyed(&all, function, key, key_count);
    add(&all.inner, data, count);
    end_keyed(&all, code);
}

void chash_pbkdf2(
    chash_function function, const uint8_t *password, size_t password_count, const uint8_t *salt, size_t salt_count,
    uint32_t rounds, uint8_t *key) {
    const uint8_t first_block[4] = {0, 0, 0, 1};
    const size_t size = chash_size(function);
    uint8_t last[CHASH_MAX_DIGEST];
    keyed start, round;
    begin_keyed(&start, function, password, password_count);
    round = start;
    add(&round.inner, salt, salt_count);
    add(&round.inner, first_block, sizeof first_block);
    end_keyed(&round, last);
    memcpy(key, last, size);
    for (uint32_t i = 1; i < rounds; i++) {
        round = start;
        add(&round.inner, last, size);
        end_keyed(&round, last);
        for (size_t j = 0; j < size; j++) key[j] ^= last[j];
    }
}
