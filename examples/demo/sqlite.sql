-- SPDX-License-Identifier: Apache-2.0
-- About a second of ordinary work for a memory recorder to look at: sqlite3
-- builds a table of orders in memory, indexes it, and asks it questions.
CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    customer TEXT NOT NULL,
    city TEXT NOT NULL,
    cents INTEGER NOT NULL
);

WITH RECURSIVE number(n) AS (
    SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 250000
)
INSERT INTO orders
SELECT n,
       printf('customer %05d', (n * 7919) % 20011),
       CASE n % 5 WHEN 0 THEN 'Lisbon' WHEN 1 THEN 'Oslo' WHEN 2 THEN 'Quito'
                  WHEN 3 THEN 'Hanoi' ELSE 'Accra' END,
       (n * 104729) % 99991
FROM number;

CREATE INDEX orders_by_customer ON orders (customer);

CREATE TEMP TABLE answers AS
SELECT city, count(*) AS orders, sum(cents) AS cents
FROM orders GROUP BY city;

INSERT INTO answers
SELECT customer, count(*), sum(cents)
FROM orders GROUP BY customer ORDER BY 3 DESC LIMIT 100;

INSERT INTO answers
SELECT a.customer, count(*), max(b.cents)
FROM orders AS a JOIN orders AS b ON a.customer = b.customer
WHERE a.id % 40 = 0 GROUP BY a.customer;

UPDATE orders SET cents = cents + 1 WHERE city = 'Oslo';
DELETE FROM orders WHERE id % 3 = 0;
