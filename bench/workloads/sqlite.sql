-- SPDX-License-Identifier: Apache-2.0
-- A shop in memory: customers, 200000 orders, and what the owner asks of them.
PRAGMA cache_size = -500000;
CREATE TABLE customer (number INTEGER PRIMARY KEY, name TEXT, town TEXT);
CREATE TABLE purchase (number INTEGER PRIMARY KEY, customer INTEGER,
                       article TEXT, note TEXT, price REAL);
WITH RECURSIVE step(i) AS (
    VALUES (0) UNION ALL SELECT i + 1 FROM step WHERE i + 1 < 200000 / 12
)
INSERT INTO customer
SELECT i, 'customer ' || hex(i * 48271 % 65537), 'town ' || i % 211 FROM step;
WITH RECURSIVE step(i) AS (
    VALUES (0) UNION ALL SELECT i + 1 FROM step WHERE i + 1 < 200000
)
INSERT INTO purchase
SELECT i, i * 16807 % (200000 / 12), printf('%c-%06d', 65 + i % 26, i * 31),
       replace(hex(i * 69621), '3', ' three '), i % 997 / 4.0
FROM step;
CREATE INDEX purchase_by_article ON purchase (article);
CREATE INDEX purchase_by_customer ON purchase (customer);
SELECT town, count(*), total(price) AS turnover
FROM customer JOIN purchase ON purchase.customer = customer.number
GROUP BY town ORDER BY turnover DESC LIMIT 3;
SELECT substr(article, 1, 1) AS shelf, count(DISTINCT note), max(length(note))
FROM purchase GROUP BY shelf ORDER BY 2 DESC, 1 LIMIT 3;
UPDATE purchase SET note = trim(note) || '.' WHERE number % 5 = 0;
DELETE FROM purchase WHERE article BETWEEN 'M' AND 'N';
SELECT lower(article) || ' ' || note AS label FROM purchase
ORDER BY label DESC LIMIT 2;
