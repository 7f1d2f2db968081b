// SPDX-License-Identifier: Apache-2.0
// A die with rounded edges, its pips, and a ring of pegs around it.
$fn = 8;

module die() {
    difference() {
        minkowski() {
            cube(8, center = true);
            sphere(1);
        }
        for (x = [-2, 2], y = [-2, 2])
            translate([x, y, 5]) sphere(1);
    }
}

union() {
    die();
    for (turn = [0 : pegs - 1])
        rotate(turn * 360 / pegs) translate([9, 0, 0]) cylinder(4, 1, 2);
}
