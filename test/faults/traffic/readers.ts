import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Chance, chanceOf } from '../../support/chance.ts'
import { dataOf } from '../checker/responses.ts'
import { specOf } from './audit.ts'
import type { MakeCall, RequestSpec } from './client.ts'
import type { Tenant } from './context.ts'

/** How programs follow the feed of a tenant: the query, and the pause after a response without more events. */
const ways: readonly { query: { [name: string]: string }; pauseMs: number }[] = [
  { query: { limit: '20' }, pauseMs: 2500 },
  { query: { wait: '5' }, pauseMs: 800 },
  { query: { type: 'payment.confirmed', wait: '2' }, pauseMs: 1500 },
  { query: { limit: '5', after: 'latest' }, pauseMs: 6000 },
]
/** How long a reader waits before it repeats a request that failed. */
const repeatMs = [200, 1500] as const
/** After the traffic, a reader gives up after this many failed requests in a row. */
const maxFailures = 20

/** Starts programs that follow the feeds. Each keeps its last position, so it repeats a request without a response. */
export function startReaders(tenants: readonly Tenant[], makeCall: MakeCall, seed: number) {
  let isEnding = false
  const stopping = new AbortController()
  const ending = new AbortController()
  setMaxListeners(0, ending.signal)

  async function follow({ query, pauseMs }: (typeof ways)[number], spec: RequestSpec, chance: Chance) {
    let position: { after?: string } = {}
    for (let failures = 0, attempt = 1; !stopping.signal.aborted && failures < maxFailures; attempt += 1) {
      const isLast = isEnding
      const search = new URLSearchParams({ ...query, ...position, ...(isLast && { wait: '0' }) })
      const call = await makeCall({ ...spec, path: `${spec.path}?${search.toString()}` }, attempt, chance)
      const page = dataOf<{ next: string; hasMore: boolean }>(call)
      if (page === null) {
        if (isLast) failures += 1
        await sleep(chance.whole(...repeatMs))
        continue
      }
      failures = 0
      position = { after: page.next }
      if (!page.hasMore && isLast) return
      if (!page.hasMore && !isEnding) await sleep(pauseMs, null, { signal: ending.signal }).catch(() => null)
    }
  }

  const running = tenants.flatMap((tenant, index) =>
    ways.map((way, number) => {
      const operation = -1000 - index * ways.length - number
      const chance = chanceOf(seed, 'reader', operation)
      const spec = specOf('merchant', chance.pick(tenant.keys), 'event.feed', '/events/feed')
      return follow(way, { ...spec, operation }, chance)
    }),
  )
  return {
    /** Lets each reader follow the feed to its end. */
    async finish(): Promise<void> {
      isEnding = true
      ending.abort()
      await Promise.all(running)
    },
    stop() {
      stopping.abort()
      ending.abort()
    },
  }
}
