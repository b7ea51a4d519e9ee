import "zone.js";
import "@angular/compiler";
import { NgZone } from "@angular/core";

const zone = new NgZone({});
/** Runs in Angular's zone. */
globalThis.inAngular = (work) => zone.run(work);
/** Whether Angular would call its page stable. */
globalThis.isStable = () => zone.isStable && !zone.hasPendingMacrotasks;
