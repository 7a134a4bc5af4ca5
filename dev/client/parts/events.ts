import type { WebhookEvent } from '../../../docs/clients/payments.ts'
import type { Send } from './send.ts'
import type { CallOptions } from './types.ts'

/** An event of the log. `body` is what a webhook of the event contains. Its `id` is the id of the event. */
export interface FollowedEvent {
  /** The same as in the webhook header `X-Service-Event-Id`. */
  id: string
  type: WebhookEvent['event']
  createdAt: string
  referenceNumber: string
  sandbox: boolean
  body: WebhookEvent
}

export interface FollowOptions {
  /** Where to begin: a stored cursor, or `latest` for events from now on. Defaults to the first event. */
  after?: string | undefined
  /** Only events of this type. */
  type?: WebhookEvent['event'] | undefined
  /** The number of events per request. */
  limit?: number | undefined
  /** How many seconds a request waits for an event. Defaults to 25. */
  wait?: number | undefined
}

/** The events, in the order of the log. */
export interface EventIterator extends AsyncGenerator<FollowedEvent, void, undefined> {
  /**
   * Where to continue later. Store it after you have handled an event. It advances with the last event of each
   * request, so a restart may repeat events. Use the id of each event to recognise them.
   */
  readonly cursor: string | undefined
}

interface Feed {
  items: FollowedEvent[]
  next: string
  hasMore: boolean
}

const feed = { method: 'GET', path: '/dev/events/feed' }

/**
 * Follows the event log. The iteration ends only when `signal` is aborted, or with an error that is not temporary.
 * Unless `maxRetries` is given, it continues after every temporary error.
 */
export function followEvents(send: Send, options: FollowOptions = {}, call: CallOptions = {}): EventIterator {
  const { after, wait = 25, ...filter } = options
  // The timeout must be longer than the time for which the service holds the request.
  const endless = { maxRetries: Infinity, timeoutMs: (wait + 15) * 1000, ...call }
  let cursor = after
  async function* follow(): AsyncGenerator<FollowedEvent, void, undefined> {
    while (!call.signal?.aborted) {
      const page = await readFeed()
      if (page === undefined) return
      const last = page.items.pop()
      yield* page.items
      cursor = page.next
      if (last !== undefined) yield last
    }
  }
  async function readFeed(): Promise<Feed | undefined> {
    try {
      // A retried request for the latest position would skip events, so this one does not wait.
      const query = { ...filter, after: cursor, wait: cursor === 'latest' ? 0 : wait }
      return (await send(feed, query, endless)) as Feed
    } catch (error) {
      if (call.signal?.aborted) return undefined
      throw error
    }
  }
  return Object.defineProperty(follow(), 'cursor', { get: () => cursor }) as unknown as EventIterator
}
