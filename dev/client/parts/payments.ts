import { table } from '../../../docs/clients/payments.ts'
import { type EventIterator, type FollowOptions, followEvents } from './events.ts'
import { createSend, type Endpoint, type PaymentsSettings, type Send } from './send.ts'
import type { CallOptions, Item, ListArguments, ListId, Operations } from './types.ts'

/** The client. Every operation of the API is a method, under its `operationId`. */
export interface Payments extends Operations {
  /**
   * Iterates over all items of a list, newest first. Reads the next page when the items of one page are used up. It
   * skips items that moved to the next page because newer items were created in between.
   */
  listAll<Id extends ListId>(id: Id, ...args: ListArguments<Id>): AsyncGenerator<Item<Id>, void, undefined>
  /** Follows the event log, so that your program misses no event, even if it was offline. */
  followEvents(options?: FollowOptions, call?: CallOptions): EventIterator
}

/** Creates a client. No property of the client contains the key. */
export function createPayments(settings: PaymentsSettings): Payments {
  const send = createSend(settings)
  const operations = Object.entries<Endpoint>(table).map(([id, endpoint]) => [
    id,
    (input: Record<string, unknown> = {}, options?: CallOptions) => send(endpoint, input, options),
  ])
  return {
    ...(Object.fromEntries(operations) as Operations),
    listAll: (id, ...[query, options]) => listAll(send, table[id], query, options),
    followEvents: (options, call) => followEvents(send, options, call),
  }
}

interface ListPage {
  items: { id?: string; _id?: string; referenceNumber?: string }[]
  hasMore: boolean
}

async function* listAll<T>(
  send: Send,
  endpoint: Endpoint,
  query: object | undefined,
  options: CallOptions | undefined,
): AsyncGenerator<T, void, undefined> {
  let before = new Set<unknown>()
  for (let page = 1; ; page += 1) {
    const { items, hasMore } = (await send(endpoint, { limit: 100, ...query, page }, options)) as ListPage
    const ids = items.map((item) => item.id ?? item._id ?? item.referenceNumber ?? item)
    for (const [index, item] of items.entries()) if (!before.has(ids[index])) yield item as T
    if (!hasMore) return
    before = new Set(ids)
  }
}
