// SPDX-License-Identifier: Apache-2.0
// names.rs - leak 1 MiB in the plant of the first argument; its line says so
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::mem::forget;
use std::rc::Rc;

const SIZE: usize = 1 << 20;

struct Cache {
    entries: HashMap<String, Vec<u8>>,
}

trait Store {
    fn keep(&mut self, size: usize);
}

impl Store for Cache {
    #[inline(never)]
    fn keep(&mut self, size: usize) {
        self.entries.insert("key".to_string(), vec![1u8; size]); // plant: trait
    }
}

/* Keep the compiler from leaving out the value. */
#[inline(never)]
fn hold<T>(value: T) {
    unsafe { std::ptr::read_volatile(&(&value as *const T)) };
    forget(value);
}

fn run(plant: &str, data: &[u64]) {
    let mut cache = Cache { entries: HashMap::new() };
    let mut tree: BTreeMap<usize, Rc<[u8; 5000]>> = BTreeMap::new();
    let mut text = String::new();

    match plant {
        "trait" => cache.keep(SIZE),
        "repeat" => hold("x".repeat(SIZE)), // plant: repeat
        "to_vec" => hold(data.to_vec()), // plant: to_vec
        "collect" => hold(data.iter().map(|x| x * 2).collect::<Vec<_>>()), // plant: collect
        "write" => {
            for _ in 0..SIZE / 7 {
                write!(text, "{}", plant.len() * 1000000).unwrap(); // plant: write
            }
        }
        "rc" => {
            for i in 0..200 {
                tree.insert(i, Rc::new([3; 5000])); // plant: rc
            }
        }
        "thread" => std::thread::spawn(|| hold(vec![2u8; SIZE])) // plant: thread
            .join()
            .unwrap(),
        _ => {}
    }
    hold((cache, tree, text));
}

fn main() {
    let data = [7u64; 200];
    static LARGE: [u64; SIZE / 8] = [7; SIZE / 8];
    let plant = std::env::args().nth(1).unwrap();

    run(&plant, if plant == "to_vec" || plant == "collect" { &LARGE } else { &data });
    std::process::exit(0);
}
