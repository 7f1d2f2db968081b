-- SPDX-License-Identifier: Apache-2.0
-- A table of 450,000 rows in memory, an index, and four questions.
PRAGMA cache_size = -400000;
CREATE TABLE record (id INTEGER PRIMARY KEY, name TEXT, content TEXT, n REAL);
WITH RECURSIVE number(i) AS (
    SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < 450000
)
INSERT INTO record
SELECT i, printf('name%08d', (i * 6151) % 450000),
       hex(i * 1103515245) || '/' || i, i * 0.25
FROM number;
CREATE INDEX record_by_name ON record (name);
SELECT count(*), sum(n) FROM record WHERE name LIKE 'name000%';
SELECT substr(content, 1, 3) AS start, count(*), max(length(content))
FROM record GROUP BY start ORDER BY 2 DESC LIMIT 5;
SELECT count(*) FROM record AS a JOIN record AS b ON a.name = b.name
WHERE a.id % 10 = 0;
SELECT upper(name) || lower(content) AS both FROM record ORDER BY both LIMIT 3;
