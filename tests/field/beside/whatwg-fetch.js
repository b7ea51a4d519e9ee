import "whatwg-fetch";
