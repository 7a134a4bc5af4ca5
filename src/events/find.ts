import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../errors.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { type PresentedEvent, presentEvents } from './present.ts'
import { checkReadable } from './readable.ts'

/**
 * Returns one of the caller's events. Throws EVENT_NOT_FOUND if the id is unknown, or if the event belongs to another
 * business or has been removed. Throws SANDBOX_MISMATCH if the event belongs to the other environment. Throws
 * SCOPE_REQUIRED if the key's scopes do not permit reading it. The existence of the event is no secret then, because
 * the webhooks of the business contain its id.
 */
export async function findEvent(
  deps: Pick<Deps, 'LoggedEvent' | 'Intent' | 'Order'>,
  caller: Caller,
  id: string,
): Promise<PresentedEvent> {
  const { businessId, sandbox } = caller
  const logged = await nativeCollection(deps.LoggedEvent).findOne({ _id: id, businessId })
  if (logged === null || logged.event === 'cleaned') throw refuse('EVENT_NOT_FOUND')
  if (logged.sandbox !== sandbox) throw refuse('SANDBOX_MISMATCH')
  checkReadable(caller, logged.event)
  const [presented] = await presentEvents(deps, [logged])
  if (presented === undefined) throw refuse('EVENT_NOT_FOUND')
  return presented
}
