-- SPDX-License-Identifier: Apache-2.0
-- Parse text into trees, count what is in them, and sort it.
local size = tonumber(arg[1])
local counts, trees = {}, {}

local function tree(depth)
    if depth == 0 then
        return { value = depth }
    end
    return { left = tree(depth - 1), right = tree(depth - 1), value = depth }
end

local function sum(node)
    return node.left and sum(node.left) + sum(node.right) + node.value or 0
end

for number = 1, size do
    local line = ("name%d=%d;"):format(number % 977, number * 7919 % 10007)

    for key, value in line:gmatch("(%w+)=(%d+)") do
        counts[key] = (counts[key] or 0) + tonumber(value)
    end
    if number % 64 == 0 then
        trees[number // 64 % 16] = tree(8)
    end
end
local names = {}
for name, count in pairs(counts) do
    names[#names + 1] = ("%08d %s"):format(count, name)
end
table.sort(names)
local total = 0
for _, node in pairs(trees) do
    total = total + sum(node)
end
print(#names, total, names[1])
