import type { Check } from '../round.ts'

/** Exactly the due events exist, each with one delivery to each subscribed endpoint, and all report the same. */
export const eventExact: Check = ({ broken }) => broken('events once', 'delivery of event', 'deliveries complete')
