import { type EventName, events } from '../../../schemas/events.ts'
import type { Caller } from '../../businesses/caller.ts'
import { refuse } from '../../errors.ts'

/**
 * Throws EVENTS_NOT_PERMITTED unless the caller's scopes allow all of `requested` (SPEC 4.8, rule 4). The error lists
 * the forbidden events.
 */
export function permitEvents(caller: Caller, requested: readonly EventName[], param: 'event' | 'events'): void {
  const forbidden = requested.filter((event) => !caller.scopes.has(events[event]))
  if (forbidden.length > 0) throw refuse('EVENTS_NOT_PERMITTED', { param, details: { events: forbidden } })
}
