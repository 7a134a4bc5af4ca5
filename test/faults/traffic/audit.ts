import { setTimeout as sleep } from 'node:timers/promises'
import type { Call, What } from '../evidence/evidence.ts'
import { type Chance, chanceOf } from './chance.ts'
import type { Ask } from './client.ts'
import { dataOf, isGood, type Wish } from './wish.ts'
import type { Key, Place, World } from './world.ts'

interface Needs {
  world: World
  ask: Ask
  seed: number
}

/** Each list with the name of its operation, what one thing of it is read by, and where. */
const lists = [
  { list: 'list', path: '/intents', one: 'read', id: 'referenceNumber', at: '/intents' },
  { list: 'delivery.list', path: '/webhooks/events', one: 'delivery.read', id: 'id', at: '/webhooks/events' },
  { list: 'order.list', path: '/store/orders', one: 'order.read', id: '_id', at: '/store/orders' },
  { list: 'product.list', path: '/store/products', one: 'product.read', id: '_id', at: '/store/products' },
  { list: 'endpoint.list', path: '/webhooks', one: null, id: 'id', at: '' },
] as const

/** The statuses by which a list may be asked for. */
const statuses: { readonly [list: string]: readonly string[] } = {
  list: ['PENDING', 'PAID', 'REFUNDED', 'CANCELLED', 'FAILED'],
  'delivery.list': ['PENDING', 'RETRYING', 'DELIVERED', 'DEAD', 'CANCELLED'],
}
/** Of a whole list several pages, so that late ones begin at a mark (build/harness-edits.ts); of one status as much as may be. */
const [fewItems, mostItems] = [20, 100]

/** So many reads at a time. */
const atOnce = 8
/** Of what each list has, so many are also asked for with keys of others. */
const sampled = 5
/** Reads are tried so often: a read that fails when all is quiet is told by its record. */
const mostTries = 5

/** Reads, through the public API and when all is quiet, everything that there is: every list to its end, also by status, and each thing by itself. */
export async function audit({ world, ask, seed }: Needs): Promise<void> {
  const chance = chanceOf(seed, 'audit')
  for (const place of world.places) {
    const [key] = place.keys
    if (key === undefined) continue
    for (const kind of lists) {
      const read = (path: string) => readBy(ask, chance, key, kind.list, path)
      const ids = await idsIn(read, kind, `limit=${fewItems}`)
      for (const status of statuses[kind.list] ?? [])
        await idsIn(read, kind, `limit=${mostItems}&status=${status}`)
      if (kind.one === null) continue
      const { one, at } = kind
      await inTurns(ids, (id) => readBy(ask, chance, key, one, `${at}/${id}`))
      const strangers = world.places.filter((other) => other !== place)
      for (const id of ids.slice(0, sampled))
        await tryAsStranger(ask, chance, chance.pick(strangers), one, `${at}/${id}`)
    }
  }
}

async function idsIn(
  read: (path: string) => Promise<Call>,
  { path, id }: (typeof lists)[number],
  query: string,
): Promise<string[]> {
  const ids = new Set<string>()
  for (let page = 1; ; page += 1) {
    const call = await read(`${path}?${query}&page=${page}`)
    if (!isGood(call)) return [...ids]
    const { items, hasMore } = dataOf<{ items: { [field: string]: string }[]; hasMore: boolean }>(call)
    const known = ids.size
    for (const item of items) ids.add(item[id] ?? '')
    // A page without anything new is the last, whatever it says: the checker minds.
    if (!hasMore || ids.size === known) return [...ids]
  }
}

async function readBy(ask: Ask, chance: Chance, key: Key, what: What, path: string): Promise<Call> {
  for (let attempt = 1; ; attempt += 1) {
    const call = await ask(wishOf('auditor', key, what, path), attempt, chance)
    if (call.status !== null && call.status < 500 && call.status !== 429) return call
    if (attempt === mostTries) return call
    await sleep(500)
  }
}

/** The things of one place asked for with the key of another: nothing is there for it. */
async function tryAsStranger(
  ask: Ask,
  chance: Chance,
  { keys }: Place,
  what: What,
  path: string,
): Promise<void> {
  const [key] = keys
  if (key !== undefined) await ask(wishOf('stranger', key, what, path), 1, chance)
}

const wishOf = (actor: Wish['actor'], key: Key, what: What, path: string): Wish => ({
  operation: 0,
  actor,
  what,
  key,
  method: 'GET',
  path: `/api/v1/dev${path}`,
  idempotencyKey: null,
  body: null,
  otherBody: null,
  expects: [],
  headers: {},
})

/** Does it for each, some at a time. */
async function inTurns<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> {
  const left = [...items]
  const worker = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await act(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
