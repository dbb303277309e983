package main

// #define main floor_main
// #include "../c/floor.c"
//
// static void floor_once(char *server) {
//     char *argv[] = {server, NULL};
//     one_after_the_other(argv, 1);
// }
import "C"

// floor is the least that a probe takes, benches/c/floor.c, in a call from Go.
func floor(server string) func() error {
	argument := C.CString(server)
	return func() error {
		C.floor_once(argument)
		return nil
	}
}
