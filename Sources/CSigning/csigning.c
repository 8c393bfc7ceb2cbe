#include "csigning.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// Where the library may be. On macOS, the loader doesn't look where package managers install it.
static const char *const places[] = {
#ifdef __APPLE__
    "/opt/homebrew/opt/openssl@3/lib/libcrypto.3.dylib", // Homebrew, Apple's processors
    "/usr/local/opt/openssl@3/lib/libcrypto.3.dylib",    // Homebrew, Intel's processors
    "/opt/local/libexec/openssl3/lib/libcrypto.3.dylib", // MacPorts
#else
    "libcrypto.so.3",
#endif
};

enum { digest_size = 32 };

// The library's functions, without its headers, which not every system has.
#define FUNCTIONS(EACH)                                                                                                 \
    EACH(void *, BIO_new_mem_buf, (const void *bytes, int count))                                                         \
    EACH(int, BIO_free, (void *bio))                                                                                      \
    EACH(void *, PEM_read_bio_PrivateKey,                                                                                 \
         (void *bio, void **key, int (*password)(char *, int, int, void *), void *context))                              \
    EACH(int, EVP_PKEY_get_group_name, (const void *key, char *name, size_t size, size_t *count))                        \
    EACH(void, EVP_PKEY_free, (void *key))                                                                                \
    EACH(void *, EVP_PKEY_CTX_new, (void *key, void *engine))                                                             \
    EACH(void, EVP_PKEY_CTX_free, (void *context))                                                                        \
    EACH(int, EVP_PKEY_sign_init, (void *context))                                                                        \
    EACH(int, EVP_PKEY_sign,                                                                                              \
         (void *context, unsigned char *signature, size_t *length, const unsigned char *digest, size_t count))           \
    EACH(void, ERR_clear_error, (void))
#define FIELD(type, name, parameters) type(*name) parameters;
#define FIND(type, name, parameters) (crypto.name = (type(*) parameters)dlsym(library, #name)) &&

static struct { FUNCTIONS(FIELD) } crypto;
static bool is_loaded;
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

static bool load(char *detail) {
    pthread_mutex_lock(&loading);
    for (size_t i = 0; !is_loaded && i < sizeof places / sizeof *places; i++) {
        void *library = dlopen(places[i], RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            const char *reason = dlerror();
            snprintf(detail, CSIGNING_MAX_DETAIL, "%s", reason ? reason : places[i]);
        } else if (FUNCTIONS(FIND) true) {
            is_loaded = true;
            *detail = 0;
        } else {
            snprintf(detail, CSIGNING_MAX_DETAIL, "%s is older than version 3", places[i]);
            dlclose(library);
        }
    }
    bool result = is_loaded;
    pthread_mutex_unlock(&loading);
    return result;
}

// Without this, the library would ask for the password of an encrypted key in the terminal.
static int refuse_password(char *buffer, int size, int is_writing, void *context) {
    (void)buffer, (void)size, (void)is_writing, (void)context;
    return -1;
}

static csigning_result read_key(const uint8_t *pem, size_t count, void **key, char *detail) {
    *detail = 0;
    if (!load(detail)) return csigning_no_library;
    if (count == 0 || count > INT_MAX) return csigning_unreadable;
    void *bio = crypto.BIO_new_mem_buf(pem, (int)count);
    if (!bio) return csigning_failed;
    *key = crypto.PEM_read_bio_PrivateKey(bio, NULL, refuse_password, NULL);
    crypto.BIO_free(bio);
    if (!*key) return csigning_unreadable;
    size_t length;
    if (crypto.EVP_PKEY_get_group_name(*key, detail, CSIGNING_MAX_DETAIL, &length) == 1 &&
        strcmp(detail, "prime256v1") == 0) {
        *detail = 0;
        return csigning_done;
    }
    crypto.EVP_PKEY_free(*key);
    return csigning_other_key;
}

static csigning_result sign(void *key, const uint8_t *digest, uint8_t *signature, size_t *length) {
    void *context = crypto.EVP_PKEY_CTX_new(key, NULL);
    if (!context) return csigning_failed;
    *length = CSIGNING_MAX_SIGNATURE;
    bool is_done = crypto.EVP_PKEY_sign_init(context) == 1 &&
        crypto.EVP_PKEY_sign(context, signature, length, digest, digest_size) == 1;
    crypto.EVP_PKEY_CTX_free(context);
    return is_done ? csigning_done : csigning_failed;
}

csigning_result csigning_check(const uint8_t *pem, size_t count, char *detail) {
    void *key = NULL;
    csigning_result result = read_key(pem, count, &key, detail);
    if (result == csigning_done) crypto.EVP_PKEY_free(key);
    if (result != csigning_no_library) crypto.ERR_clear_error();
    return result;
}

csigning_result csigning_sign(
    const uint8_t *pem, size_t count, const uint8_t *digest, uint8_t *signature, size_t *length, char *detail) {
    void *key = NULL;
    csigning_result result = read_key(pem, count, &key, detail);
    if (result == csigning_done) {
        result = sign(key, digest, signature, length);
        crypto.EVP_PKEY_free(key);
    }
    if (result != csigning_no_library) crypto.ERR_clear_error();
    return result;
}
