import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Chance, chanceOf } from '../../support/chance.ts'
import { dataOf } from '../checker/responses.ts'
import type { Call, What } from '../evidence/evidence.ts'
import type { Key, MakeCall, RequestSpec } from './client.ts'
import type { Tenant, World } from './context.ts'

const lists: readonly { list: What; path: string; id: string; one: What | null }[] = [
  { list: 'list', path: '/intents', id: 'referenceNumber', one: 'read' },
  { list: 'delivery.list', path: '/webhooks/events', id: 'id', one: 'delivery.read' },
  { list: 'order.list', path: '/store/orders', id: '_id', one: 'order.read' },
  { list: 'product.list', path: '/store/products', id: '_id', one: 'product.read' },
  { list: 'event.list', path: '/events', id: 'id', one: 'event.read' },
  { list: 'endpoint.list', path: '/webhooks', id: 'id', one: null },
]

const statuses: { readonly [list in What]?: readonly string[] } = {
  list: ['PENDING', 'PAID', 'REFUNDED', 'CANCELLED', 'FAILED'],
  'delivery.list': ['PENDING', 'RETRYING', 'DELIVERED', 'DEAD', 'CANCELLED'],
}

/** Whole lists are read in small pages, so that late pages start at a count checkpoint. */
const [fewItems, maxItems] = [20, 100]
const concurrency = 8
const sampled = 5
const maxAttempts = 5

export async function audit(world: World, makeCall: MakeCall, seed: number): Promise<void> {
  const chance = chanceOf(seed, 'audit')
  for (const tenant of world.tenants) {
    const key = tenant.keys[0] as Key
    for (const { list, path, id, one } of lists) {
      const read = (address: string) => readBy(makeCall, chance, key, list, address)
      const ids = await idsIn(read, path, id, `limit=${fewItems}`)
      const queries = (statuses[list] ?? []).map((status) => `limit=${maxItems}&status=${status}`)
      for (const query of queries) await idsIn(read, path, id, query)
      if (one === null) continue
      await concurrently(one === 'event.read' ? ids.slice(0, maxItems) : ids, (each) =>
        readBy(makeCall, chance, key, one, `${path}/${each}`),
      )
      const strangers = world.tenants.filter((other) => other !== tenant).map(({ keys }) => keys[0] as Key)
      for (const each of ids.slice(0, sampled))
        await makeCall(specOf('stranger', chance.pick(strangers), one, `${path}/${each}`), 1, chance)
    }
  }
}

async function idsIn(read: (path: string) => Promise<Call>, path: string, id: string, query: string) {
  const ids = new Set<string>()
  for (let page = 1; ; page += 1) {
    const call = await read(`${path}?${query}&page=${page}`)
    const found = dataOf<{ items: { [field: string]: string }[]; hasMore: boolean }>(call)
    const known = ids.size
    for (const item of found?.items ?? []) ids.add(item[id] ?? '')
    if (!found?.hasMore || ids.size === known) return [...ids]
  }
}

async function readBy(makeCall: MakeCall, chance: Chance, key: Key, what: What, path: string): Promise<Call> {
  for (let attempt = 1; ; attempt += 1) {
    const call = await makeCall(specOf('auditor', key, what, path), attempt, chance)
    if (call.status !== null && call.status < 500 && call.status !== 429) return call
    if (attempt === maxAttempts) return call
    await sleep(500)
  }
}

const specOf = (actor: RequestSpec['actor'], key: Key, what: What, path: string): RequestSpec => {
  return { operation: 0, actor, what, key, method: 'GET', path: `/api/v1/dev${path}` }
}

async function concurrently<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> {
  const left = [...items]
  const worker = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await act(item)
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
}

const ways: readonly { query: { [name: string]: string }; pauseMs: number }[] = [
  { query: { limit: '20' }, pauseMs: 2500 },
  { query: { wait: '5' }, pauseMs: 800 },
  { query: { type: 'payment.confirmed', wait: '2' }, pauseMs: 1500 },
  { query: { limit: '5', after: 'latest' }, pauseMs: 6000 },
]
const repeatMs = [200, 1500] as const
const maxFailures = 20

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
