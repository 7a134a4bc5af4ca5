import { setTimeout as sleep } from 'node:timers/promises'
import type { Chance } from '../../support/chance.ts'
import type { ShownIntent } from '../checker/responses.ts'
import type { Call, Setting, What } from '../evidence/evidence.ts'
import { type Body, isFinal, type Key, type MakeCall, type RequestSpec } from './client.ts'

export interface KnownIntent extends Omit<ShownIntent, 'status'> {
  status: string
  refunded: number
  isLeftAlone: boolean
  created: { spec: RequestSpec; at: number; repeats: number }
}

export type KnownProduct = { id: string; variants: { id: string; label: string }[] }

export interface Tenant {
  business: Business
  sandbox: boolean
  marker: string
  keys: Key[]
  publishable: Key
  hasShop: boolean
  intents: KnownIntent[]
  products: KnownProduct[]
  passing: string[]
  orders: string[]
  deliveries: string[]
  replays: string[]
}

/** The owner of a business that isn't approved, who needs no second factor. */
export type Person = Record<'name' | 'token' | 'password' | 'cookie', string>

export interface Business {
  person: Person | null
  index: number
  id: string
  name: string
  isLive: boolean
  markers: { test: string; live: string }
  endpoints: { id: string; sandbox: boolean; isLasting: boolean }[]
}

export type Employee = Setting['staff'][number] & { cookie: string }
export type Wallet = Setting['wallets'][number]

export interface World {
  businesses: Business[]
  tenants: Tenant[]
  wallets: Wallet[]
  providerWallets: Wallet[]
  staff: Employee[]
  endpointsOrigin: string
  now: () => number
}

export function remember<T>(list: T[], item: T): void {
  list.push(item)
  if (list.length > 300) list.shift()
}

export interface Context {
  world: World
  tenant: Tenant
  key: Key
  operation: number
  chance: Chance
  makeCall: MakeCall
  send: Send
  newKey(): string
}

type More = Partial<Pick<RequestSpec, 'method' | 'idempotencyKey' | 'expects'>> & { other?: object }

export const specOf = (
  { operation, key, newKey }: Context,
  what: What,
  path: string,
  body?: Body,
  { method = 'POST', idempotencyKey = newKey(), other, expects = [] }: More = {},
): RequestSpec => ({
  operation,
  actor: 'merchant',
  what,
  key,
  method,
  path: `/api/v1/dev${path}`,
  expects,
  ...(method !== 'GET' && { idempotencyKey }),
  ...(body && { body }),
  ...(other && { otherBody: { json: other } }),
})

export const read = (context: Context, what: What, path: string, expects: readonly string[] = []) =>
  context.makeCall(specOf(context, what, path, undefined, { method: 'GET', expects }), 1, context.chance)
export const write = (context: Context, what: What, path: string, body?: Body, more?: More) =>
  context.send(specOf(context, what, path, body, more), context.chance)
export const act = (context: Context, what: What, path: string, more?: More): Promise<Call | null> =>
  write(context, what, path, undefined, more)
export type Send = (spec: RequestSpec, chance: Chance) => Promise<Call | null>
const ways = { once: 80, givenUp: 4, again: 8, twins: 5, changed: 3 }
const pauseMs = [100, 2000] as const
/** Keys expire after 24 hours of the service's clock, which jumps, so they aren't reused after this. */
export const keyLifetimeMs = 23 * 3_600_000

export function createSend(makeCall: MakeCall, now: () => number, endsAt: () => number): Send {
  const isOld = (beganAt: number): boolean => now() - beganAt > keyLifetimeMs
  async function persist(spec: RequestSpec, first: number, way: string, chance: Chance) {
    const beganAt = now()
    for (let attempt = first; ; attempt += 1) {
      const call = await makeCall(spec, attempt, chance)
      if (isFinal(call)) return call
      if (way === 'givenUp') return null
      await sleep(chance.whole(...pauseMs))
      if (Date.now() > endsAt() || isOld(beganAt)) return null
    }
  }
  return async (spec, chance) => {
    const way = chance.weighted(ways)
    const beganAt = now()
    // Each kind of repetition has its own range of numbers, so that records show what a call was.
    const twin = way === 'twins' ? persist(spec, 1001, way, chance) : null
    const call = await persist(spec, 1, way, chance)
    await twin
    if (call === null || isOld(beganAt)) return call
    if (way === 'again') await makeCall(spec, 2001, chance)
    if (way === 'changed' && spec.otherBody) await makeCall({ ...spec, body: spec.otherBody }, 3001, chance)
    return call
  }
}
