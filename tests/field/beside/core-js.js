import "core-js/actual";
