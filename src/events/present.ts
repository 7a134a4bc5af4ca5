import type { Models } from '../mongo/models.ts'
import { inSlices } from '../process/in-slices.ts'
import { bodyOf } from '../webhooks/body/compose.ts'
import { findBodySources } from '../webhooks/body/find-source.ts'
import type { LoggedEvent } from './logged-event.ts'

/** An event as merchants see it. `body` is the webhook's body, with the event's id as its `id`. */
export interface PresentedEvent {
  id: string
  type: string
  createdAt: Date
  referenceNumber: string
  sandbox: boolean
  body: unknown
}

/**
 * Returns events as merchants see them, in the same order. Events whose intent or order no longer exists are left out,
 * because the clean-up removes an intent's events before the intent itself.
 */
export async function presentEvents(
  models: Pick<Models, 'Intent' | 'Order'>,
  events: readonly LoggedEvent[],
): Promise<PresentedEvent[]> {
  const sources = await findBodySources(
    models,
    events.map(({ referenceNumber }) => referenceNumber),
  )
  const presented: PresentedEvent[] = []
  await inSlices(events, (logged) => {
    const { _id: id, event: type, createdAt, referenceNumber, sandbox } = logged
    const source = sources.get(referenceNumber)
    if (source === undefined) return
    const body: unknown = JSON.parse(bodyOf({ ...logged, eventAt: createdAt }, source))
    presented.push({ id, type, createdAt, referenceNumber, sandbox, body })
  })
  return presented
}
