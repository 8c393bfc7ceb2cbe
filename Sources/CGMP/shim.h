#pragma once
// Wrappers for GMP's functions, which are macros that Swift can't import.
//
// Fractions are passed and returned by value; their digits aren't copied. Each returned fraction is new and must be freed
// once. GMP aborts the process on invalid operations, so callers must check their arguments.
#include <gmp.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/// A fraction in lowest terms, with a positive denominator; a whole number has the denominator 1.
typedef __mpq_struct heybot_rational;

static inline void heybot_gmp_free(heybot_rational value) { mpq_clear(&value); }

/// Returns a fraction. The denominator must not be 0.
static inline heybot_rational heybot_gmp_fraction(long numerator, unsigned long denominator) {
    mpq_t result;
    mpq_init(result);
    mpq_set_si(result, numerator, denominator);
    mpq_canonicalize(result);
    return *result;
}

/// Returns the exact value of a finite number.
static inline heybot_rational heybot_gmp_exactly(double value) {
    mpq_t result;
    mpq_init(result);
    mpq_set_d(result, value);
    return *result;
}

/// Parses an integer in a base from 2 to 36; returns 0 if the digits are invalid.
static inline heybot_rational heybot_gmp_read(const char *digits, int base) {
    mpq_t result;
    mpq_init(result);
    if (mpz_set_str(mpq_numref(result), digits, base)) mpz_set_ui(mpq_numref(result), 0);
    return *result;
}

static inline heybot_rational heybot_gmp_sum(heybot_rational left, heybot_rational right) {
    mpq_t result;
    mpq_init(result);
    mpq_add(result, &left, &right);
    return *result;
}

static inline heybot_rational heybot_gmp_difference(heybot_rational left, heybot_rational right) {
    mpq_t result;
    mpq_init(result);
    mpq_sub(result, &left, &right);
    return *result;
}

static inline heybot_rational heybot_gmp_product(heybot_rational left, heybot_rational right) {
    mpq_t result;
    mpq_init(result);
    mpq_mul(result, &left, &right);
    return *result;
}

/// The divisor must not be 0.
static inline heybot_rational heybot_gmp_quotient(heybot_rational left, heybot_rational right) {
    mpq_t result;
    mpq_init(result);
    mpq_div(result, &left, &right);
    return *result;
}

static inline heybot_rational heybot_gmp_power(heybot_rational base, unsigned long exponent) {
    mpq_t result;
    mpq_init(result);
    mpz_pow_ui(mpq_numref(result), mpq_numref(&base), exponent);
    mpz_pow_ui(mpq_denref(result), mpq_denref(&base), exponent);
    return *result;
}

/// Returns the root, rounded towards 0, and whether it is exact. The degree must not be 0, and must be odd for negative
/// numbers.
static inline heybot_rational heybot_gmp_root(heybot_rational value, unsigned long degree, bool *is_exact) {
    mpq_t result;
    mpq_init(result);
    bool above = mpz_root(mpq_numref(result), mpq_numref(&value), degree) != 0;
    bool below = mpz_root(mpq_denref(result), mpq_denref(&value), degree) != 0;
    *is_exact = above && below;
    return *result;
}

static inline heybot_rational heybot_gmp_floor(heybot_rational value) {
    mpq_t result;
    mpq_init(result);
    mpz_fdiv_q(mpq_numref(result), mpq_numref(&value), mpq_denref(&value));
    return *result;
}

/// Returns the greatest common divisor of the numerators.
static inline heybot_rational heybot_gmp_common_divisor(heybot_rational left, heybot_rational right) {
    mpq_t result;
    mpq_init(result);
    mpz_gcd(mpq_numref(result), mpq_numref(&left), mpq_numref(&right));
    return *result;
}

static inline heybot_rational heybot_gmp_factorial(unsigned long number) {
    mpq_t result;
    mpq_init(result);
    mpz_fac_ui(mpq_numref(result), number);
    return *result;
}

/// Returns the binomial coefficient.
static inline heybot_rational heybot_gmp_binomial(unsigned long number, unsigned long chosen) {
    mpq_t result;
    mpq_init(result);
    mpz_bin_uiui(mpq_numref(result), number, chosen);
    return *result;
}

static inline heybot_rational heybot_gmp_numerator(heybot_rational value) {
    mpq_t result;
    mpq_init(result);
    mpz_set(mpq_numref(result), mpq_numref(&value));
    return *result;
}

static inline heybot_rational heybot_gmp_denominator(heybot_rational value) {
    mpq_t result;
    mpq_init(result);
    mpz_set(mpq_numref(result), mpq_denref(&value));
    return *result;
}

/// Returns a negative number, 0 or a positive number.
static inline int heybot_gmp_compare(heybot_rational left, heybot_rational right) { return mpq_cmp(&left, &right); }

static inline int heybot_gmp_sign(heybot_rational value) { return mpq_sgn(&value); }

static inline bool heybot_gmp_is_whole(heybot_rational value) { return mpz_cmp_ui(mpq_denref(&value), 1) == 0; }

/// Whether the numerator is even.
static inline bool heybot_gmp_is_even(heybot_rational value) { return mpz_even_p(mpq_numref(&value)) != 0; }

static inline bool heybot_gmp_fits_word(heybot_rational value) { return mpz_fits_slong_p(mpq_numref(&value)) != 0; }

/// Returns the numerator, which must fit.
static inline long heybot_gmp_word(heybot_rational value) { return mpz_get_si(mpq_numref(&value)); }

/// Returns an upper bound for the number of the numerator's digits in a base, at most one too many.
static inline size_t heybot_gmp_length(heybot_rational value, int base) {
    return mpz_sizeinbase(mpq_numref(&value), base);
}

/// Writes the numerator's sign, digits and a NUL, which needs two bytes more than its length.
static inline void heybot_gmp_write(heybot_rational value, char *digits, int base) {
    mpz_get_str(digits, base, mpq_numref(&value));
}

/// Returns the nearest double; infinity if the number is too large.
static inline double heybot_gmp_nearest(heybot_rational value) {
    if (mpq_sgn(&value) == 0) return 0;
    long above = (long)mpz_sizeinbase(mpq_numref(&value), 2), below = (long)mpz_sizeinbase(mpq_denref(&value), 2);
    double end = mpq_sgn(&value) > 0 ? INFINITY : -INFINITY;
    if (above - below > 1025) return end;
    // GMP truncates, so the next double may be nearer.
    double cut = mpq_get_d(&value), next = nextafter(cut, end);
    if (isinf(cut) || isinf(next)) return cut;
    mpq_t middle, other;
    mpq_init(middle);
    mpq_init(other);
    mpq_set_d(middle, cut);
    mpq_set_d(other, next);
    mpq_add(middle, middle, other);
    mpq_div_2exp(middle, middle, 1);
    int order = mpq_cmp(&value, middle);
    mpq_clear(middle);
    mpq_clear(other);
    return (end > 0 ? order > 0 : order < 0) ? next : cut;
}

/// Returns the logarithm to base 2 of a positive number, which may be too large for a double.
static inline double heybot_gmp_binary_logarithm(heybot_rational value) {
    long above, below;
    double numerator = mpz_get_d_2exp(&above, mpq_numref(&value));
    double denominator = mpz_get_d_2exp(&below, mpq_denref(&value));
    return log2(numerator / denominator) + (double)(above - below);
}
