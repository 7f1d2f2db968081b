/* SPDX-License-Identifier: Apache-2.0 */
/*
 * distribution.c - where 2.5 % of a distribution lie below, and 2.5 % above
 */
#include "tool/model/profile/distribution.h"

#include <math.h>

enum {
    TERMS = 100000,
    LARGE_SHAPE = 1000, /* from here on an approximation is as good */
};

static const double least = 1e-300;
static const double precision = 1e-9;

/* The part of the gamma distribution that lies below x, by its power series. */
static double gamma_by_series(double shape, double x, double factor)
{
    double term = 1 / shape, sum = term;

    for (int i = 1; i < TERMS && term > sum * precision; i++) {
        term *= x / (shape + i);
        sum += term;
    }
    return sum * factor;
}

/* The part that lies above x, by a continued fraction, after Lentz. */
static double gamma_by_fraction(double shape, double x, double factor)
{
    double b = x + 1 - shape, c = 1 / least, d = 1 / b, fraction = d;

    for (int i = 1; i < TERMS; i++) {
        double a = -i * (i - shape), change;

        b += 2;
        d = a * d + b;
        c = b + a / c;
        d = 1 / (fabs(d) < least ? least : d);
        c = fabs(c) < least ? least : c;
        change = c * d;
        fraction *= change;
        if (fabs(change - 1) < precision)
            break;
    }
    return fraction * factor;
}

static double gamma_below(double shape, double x)
{
    double factor = x <= 0 ? 0 : exp(shape * log(x) - x - lgamma(shape));

    if (x <= 0)
        return 0;
    return x < shape + 1 ? gamma_by_series(shape, x, factor)
                         : 1 - gamma_by_fraction(shape, x, factor);
}

/* The share that is to lie below x, as distribution.h has it. */
static double share_below(enum distribution_tail tail, double x)
{
    return tail == DISTRIBUTION_LOW ? 0.025 * -expm1(-x) : 0.975;
}

static double normal(enum distribution_tail tail)
{
    return tail == DISTRIBUTION_LOW ? -DISTRIBUTION_NORMAL
                                    : DISTRIBUTION_NORMAL;
}

double distribution_gamma(double shape, enum distribution_tail tail)
{
    double low = 0, high = shape + 20 + 10 * sqrt(shape), x = shape;

    if (shape > LARGE_SHAPE) {
        double root = 1 - 1 / (9 * shape) + normal(tail) / (3 * sqrt(shape));

        return shape * root * root * root;
    }
    /* By Newton, or by halves where that leads out of what is left. */
    for (int i = 0; i < 100 && high - low > high * precision; i++) {
        double error = gamma_below(shape, x) - share_below(tail, x);
        double slope = exp((shape - 1) * log(x) - x - lgamma(shape)) -
                       (tail == DISTRIBUTION_LOW ? 0.025 * exp(-x) : 0);
        double next = x - error / slope;

        *(error < 0 ? &low : &high) = x;
        if (fabs(next - x) <= x * precision)
            return next;
        x = next > low && next < high ? next : (low + high) / 2;
    }
    return (low + high) / 2;
}
