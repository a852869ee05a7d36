import { newEventEncoder } from "../../workers/storage/cacher/event-encoder.ts";

/** How events are shown; tables need the printers of the kinds. */
export const encoder = newEventEncoder({});
