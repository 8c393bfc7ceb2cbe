#ifndef CSIGNING_H
#define CSIGNING_H

#include <stddef.h>
#include <stdint.h>

// Signatures by ECDSA on the curve P-256 (FIPS 186-5), with OpenSSL's libcrypto.
//
// The library is loaded when it is first needed, so that only a robot with such a key needs memory for it: linked statically, these
// functions would add 3.8 MB to the program.
typedef enum {
    csigning_done,
    // The library isn't installed or is older than version 3; the detail is the reason.
    csigning_no_library,
    // The file has no readable private key.
    csigning_unreadable,
    // The key is on another curve, which is the detail, or on none.
    csigning_other_key,
    csigning_failed
} csigning_result;

// The number of bytes of the longest signature, in DER.
#define CSIGNING_MAX_SIGNATURE 72

// The number of bytes of the longest detail.
#define CSIGNING_MAX_DETAIL 256

// Checks that text in PEM has a private key on P-256.
//
// Writes a detail of at most CSIGNING_MAX_DETAIL bytes, which ends with a NUL.
csigning_result csigning_check(const uint8_t *pem, size_t count, char *detail);

// Signs a digest of 32 bytes with the private key of a text in PEM.
//
// Writes the signature, of at most CSIGNING_MAX_SIGNATURE bytes, its length, and a detail as csigning_check does.
csigning_result csigning_sign(
    const uint8_t *pem, size_t count, const uint8_t *digest, uint8_t *signature, size_t *length, char *detail);

#endif
