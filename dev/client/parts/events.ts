import { type EventFeed, type LoggedEvent, table } from '../../../docs/clients/payments.ts'
import { sleep } from './retries.ts'
import type { Send } from './send.ts'
import type { CallOptions, Input } from './types.ts'

/** The delay before the next request if the service could not hold the last one, and so responded at once. */
const pollEveryMs = 1_000

/** Where to begin (`after`: a stored cursor, or `latest`), one `type` of event, and how long a request waits. */
export type FollowOptions = {
  [Name in keyof Input<'readEventFeed'>]: Input<'readEventFeed'>[Name] | undefined
}

/** The events, in the order of the log. */
export interface EventIterator extends AsyncGenerator<LoggedEvent, void, undefined> {
  /**
   * Where to continue later. Store it after you have handled an event. It advances with the last event of each
   * request, so a restart may repeat events. Use the id of each event to recognise them.
   */
  readonly cursor: string | undefined
}

/**
 * Follows the event log. The iteration ends only when `signal` is aborted, or with an error that is not temporary.
 * Unless `maxRetries` is given, it continues after every temporary error.
 */
export function followEvents(send: Send, options: FollowOptions = {}, call: CallOptions = {}): EventIterator {
  const { after, wait = 25, ...filter } = options
  // The timeout must be longer than the time for which the service holds the request.
  const endless = { maxRetries: Infinity, timeoutMs: (wait + 15) * 1000, ...call }
  let cursor = after
  async function* follow(): AsyncGenerator<LoggedEvent, void, undefined> {
    while (!call.signal?.aborted) {
      const page = await readFeed()
      if (page === undefined) return
      const last = page.items.pop()
      yield* page.items
      cursor = page.next
      if (last !== undefined) yield last
    }
  }
  async function readFeed(): Promise<EventFeed | undefined> {
    try {
      // A retried request for the latest position would skip events, so this one does not wait.
      const query = { ...filter, after: cursor, wait: cursor === 'latest' ? 0 : wait }
      const nextAt = cursor === 'latest' ? 0 : Date.now() + pollEveryMs
      const page = (await send(table.readEventFeed, query, endless)) as EventFeed
      if (page.items.length === 0) await sleep(Math.max(0, nextAt - Date.now()), call.signal)
      return page
    } catch (error) {
      if (call.signal?.aborted) return undefined
      throw error
    }
  }
  return Object.defineProperty(follow(), 'cursor', { get: () => cursor }) as unknown as EventIterator
}
