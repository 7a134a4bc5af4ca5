import { type EventName, events } from '../../../schemas/events.ts'
import type { Caller } from '../../businesses/caller.ts'
import { type Refusal, refuse } from '../../errors.ts'

/** Returns the events in `requested` that the caller's scopes do not allow (SPEC 4.8, rule 4). */
export const forbiddenEvents = (caller: Caller, requested: readonly EventName[]): EventName[] =>
  requested.filter((event) => !caller.scopes.has(events[event]))

export const notPermitted = (forbidden: EventName[], param: 'event' | 'events'): Refusal =>
  refuse('EVENTS_NOT_PERMITTED', { param, details: { events: forbidden } })

/**
 * Throws EVENTS_NOT_PERMITTED unless the caller's scopes allow all of `requested`. The error lists the forbidden
 * events.
 */
export function permitEvents(caller: Caller, requested: readonly EventName[], param: 'event' | 'events'): void {
  const forbidden = forbiddenEvents(caller, requested)
  if (forbidden.length > 0) throw notPermitted(forbidden, param)
}
