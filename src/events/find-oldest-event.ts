import { nativeCollection } from '../mongo/collection.ts'
import type { OutboxEvent } from '../outbox/event.ts'
import type { Deps } from '../platform/deps.ts'

/** Don't add conditions: like this, MongoDB reads the index in order. */
const withOutbox = { 'outbox.createdAt': { $exists: true } }

/** Null if all outboxes are empty. */
export async function findOldestEvent(
  deps: Pick<Deps, 'Intent' | 'Order' | 'Endpoint'>,
  maxTimeMS: number,
): Promise<Pick<OutboxEvent, 'createdAt'> | null> {
  const oldest = {
    projection: { 'outbox.createdAt': 1 },
    sort: { 'outbox.createdAt': 1 },
    maxTimeMS,
  } as const
  const found = await Promise.all([
    nativeCollection(deps.Intent).findOne(withOutbox, oldest),
    nativeCollection(deps.Order).findOne(withOutbox, oldest),
    nativeCollection(deps.Endpoint).findOne(withOutbox, oldest),
  ])
  // The first event in an outbox is the oldest.
  const first = found.flatMap((document) => document?.outbox[0] ?? [])
  return first.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())[0] ?? null
}
