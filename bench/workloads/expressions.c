/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expressions.c - parse sums, products and brackets, compute them, free them
 *
 * A recursive descent parser has as many stacks as its input has shapes. It is
 * built twice, with and without frame pointers: the same calls, unwound by
 * different rules.
 *
 * usage: expressions COUNT
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT = 4096, DEEPEST = 4 };

struct node {
    char operation; /* 0: a number */
    long value;
    struct node *left;
    struct node *right;
};

static uint64_t state = UINT64_C(88172645463325252);

static unsigned next_random(unsigned below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state >> 24) % below);
}

/* Write an expression; return its end. */
static char *write_expression(char *at, const char *end, int depth)
{
    if (depth == 0 || end - at < 64 || next_random(4) == 0)
        return at + sprintf(at, "%u", next_random(1000));
    *at++ = '(';
    at = write_expression(at, end - 8, depth - 1);
    *at++ = "+*-"[next_random(3)];
    at = write_expression(at, end - 2, depth - 1);
    *at++ = ')';
    *at = '\0';
    return at;
}

static struct node *make_node(char operation, long value, struct node *left,
                              struct node *right)
{
    struct node *node = malloc(sizeof *node);

    if (node == NULL)
        abort();
    *node = (struct node){ operation, value, left, right };
    return node;
}

static struct node *parse_sum(const char **at);

static struct node *parse_operand(const char **at)
{
    struct node *inner;

    if (**at != '(')
        return make_node(0, strtol(*at, (char **)(uintptr_t)at, 10), NULL,
                         NULL);
    (*at)++;
    inner = parse_sum(at);
    (*at)++; /* ')' */
    return inner;
}

static struct node *parse_product(const char **at)
{
    struct node *left = parse_operand(at);

    while (**at == '*') {
        (*at)++;
        left = make_node('*', 0, left, parse_operand(at));
    }
    return left;
}

static struct node *parse_sum(const char **at)
{
    struct node *left = parse_product(at);

    while (**at == '+' || **at == '-') {
        char operation = *(*at)++;

        left = make_node(operation, 0, left, parse_product(at));
    }
    return left;
}

static unsigned long compute(const struct node *node)
{
    unsigned long left;
    unsigned long right;

    if (node->operation == 0)
        return (unsigned long)node->value;
    left = compute(node->left);
    right = compute(node->right);
    if (node->operation == '*')
        return left * right;
    return node->operation == '+' ? left + right : left - right;
}

static void free_nodes(struct node *node)
{
    if (node == NULL)
        return;
    free_nodes(node->left);
    free_nodes(node->right);
    free(node);
}

int main(int argc, char **argv)
{
    static char text[TEXT];
    long count = argc > 1 ? atol(argv[1]) : 100000;
    unsigned long sum = 0;

    for (long i = 0; i < count; i++) {
        const char *at = text;
        struct node *tree;

        write_expression(text, text + sizeof text, DEEPEST);
        tree = parse_sum(&at);
        sum += compute(tree);
        free_nodes(tree);
    }
    printf("%lu\n", sum);
    return 0;
}
