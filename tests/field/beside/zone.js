import "zone.js";
