/* SPDX-License-Identifier: Apache-2.0 */
/*
 * natural_log.c - logarithms by the series of the inverse hyperbolic tangent
 *
 * log((1 + s) / (1 - s)) = 2 (s + s^3/3 + s^5/5 + ...). With x between the
 * square roots of 1/2 and 2, s = (x - 1) / (x + 1) is at most 0.172, and what
 * comes after s^23 is less than half a unit in the last place.
 */
#include "sampling/countdown/natural_log.h"

#include <stdint.h>
#include <string.h>

enum { FRACTION_BITS = 52, EXPONENT_BIAS = 1023, ODD_TERMS = 12 };

#define SQUARE_ROOT_OF_2 1.4142135623730951

/* log(2), as a sum whose first part has zeros at its end: e * LN2_HIGH is
   exact. */
#define LN2_HIGH 0x1.62e42fefap-1
#define LN2_LOW  0x1.cf79abc9e3b3ap-40

/* 2 * atanh(s) for a small s. */
static double twice_atanh(double s)
{
    double square = s * s;
    double sum = 0;

    for (int term = ODD_TERMS - 1; term > 0; term--)
        sum = (sum + 1.0 / (2 * term + 1)) * square;
    return 2 * s + 2 * s * sum;
}

double natural_log(double x)
{
    uint64_t bits;
    int exponent;

    memcpy(&bits, &x, sizeof bits);
    exponent = (int)(bits >> FRACTION_BITS) - EXPONENT_BIAS;
    if (exponent == -EXPONENT_BIAS) /* so small that it has fewer digits */
        return natural_log(x * 0x1p54) - 54 * (LN2_HIGH + LN2_LOW);
    bits = (bits & ((UINT64_C(1) << FRACTION_BITS) - 1)) |
           ((uint64_t)EXPONENT_BIAS << FRACTION_BITS);
    memcpy(&x, &bits, sizeof x);
    if (x > SQUARE_ROOT_OF_2) {
        x /= 2;
        exponent++;
    }
    return exponent * LN2_HIGH +
           (twice_atanh((x - 1) / (x + 1)) + exponent * LN2_LOW);
}

double natural_log_1p(double x)
{
    if (x > -0.25 && x < 0.25)
        return twice_atanh(x / (2 + x));
    return natural_log(1 + x);
}
