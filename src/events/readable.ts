import { type EventName, events } from '../../schemas/events.ts'
import type { Caller } from '../businesses/caller.ts'
import { refuse } from '../errors.ts'

const names = Object.keys(events) as EventName[]

/** Returns the event types that the caller may read. They do not include `cleaned`. */
export const readableBy = ({ scopes }: Caller): EventName[] => names.filter((name) => scopes.has(events[name]))

/** Throws SCOPE_REQUIRED if the caller may not read events of this type. */
export function checkReadable({ scopes }: Caller, type: EventName): void {
  const scope = events[type]
  if (!scopes.has(scope)) throw refuse('SCOPE_REQUIRED', { details: { scope } })
}
