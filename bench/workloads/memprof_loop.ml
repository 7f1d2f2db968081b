(* SPDX-License-Identifier: Apache-2.0 *)
(* What sampled allocations cost in a loop of nothing else, with callbacks that
   do nothing but keep the block tracked: memprof_loop.c, in OCaml. Blocks of
   SMALLEST to LARGEST words, or of one if both are 1. Prints nanoseconds of
   processor time for each block, of the median slice and of the fastest.

   usage: memprof_loop RATE COUNT SMALLEST LARGEST DEPTH *)

let slices = 15

let allocate_one_word count =
  for i = 1 to count do
    ignore (Sys.opaque_identity (ref i))
  done

(* Bytes take a word more for each eight, the last of which says how many count *)
let allocate_words count smallest largest =
  let words = ref smallest in
  for _ = 1 to count do
    ignore (Sys.opaque_identity (Bytes.create ((8 * !words) - 1)));
    words := if !words = largest then smallest else !words + 1
  done

let rec descend level count smallest largest =
  if level > 0 then begin
    descend (level - 1) count smallest largest;
    ignore (Sys.opaque_identity level)
  end
  else if largest = 1 then allocate_one_word count
  else allocate_words count smallest largest

let start rate =
  Gc.Memprof.start ~sampling_rate:rate
    { Gc.Memprof.alloc_minor = (fun _ -> Some ());
      alloc_major = (fun _ -> Some ());
      promote = (fun () -> Some ());
      dealloc_minor = ignore;
      dealloc_major = ignore }

let () =
  let number index = int_of_string Sys.argv.(index) in
  let count = number 2 / slices in
  let smallest = number 3 and largest = number 4 and depth = number 5 in
  if Sys.argv.(1) <> "off" then start (float_of_string Sys.argv.(1));
  descend depth 1000 smallest largest;
  let slice _ =
    let before = Sys.time () in
    descend depth count smallest largest;
    (Sys.time () -. before) *. 1e9 /. float_of_int count in
  let ns = Array.init slices slice in
  Array.sort compare ns;
  Printf.printf "%.3f %.3f\n" ns.(slices / 2) ns.(0)
