import type { Arrival, Call, Setting } from '../../evidence/evidence.ts'
import type { Dump } from '../documents.ts'
import type { Evidence } from '../folder/evidence.ts'
import { at, idOf } from './clock.ts'

/** Two businesses, and what the tests of the checker know of them. */
export const shop = { id: idOf('shop'), key: idOf('key-shop'), marker: 'shop-in-test' }
export const other = { id: idOf('other'), key: idOf('key-other'), marker: 'other-in-test' }
export const hook = 'http://127.0.0.1:9999/hook/1'

const settings: Setting = {
  seed: 1,
  beganAt: at(0),
  healedAt: at(100),
  quietAt: at(200),
  left: [],
  brokenOff: [],
  settings: {
    intentLifetimeSeconds: 30,
    codeLifetimeSeconds: 20,
    retrySeconds: [1, 1, 1, 1, 1, 1, 1],
    webhookTimeoutSeconds: 2,
    sandboxRetentionDays: 30,
  },
  businesses: [shop, other].map(({ id, key, marker }) => ({
    id,
    name: id,
    markers: { test: marker, live: `${marker}-live` },
    keys: [{ id: key, mode: 'test', kind: 'secret', secret: `sk_test_${key.padEnd(38, '0')}` }],
  })),
  wallets: [{ phone: '22999999', pin: '918273', balance: 1000 }],
  providerWallets: [],
  staff: [{ name: 'aicha', role: 'support', password: 'a-password-of-hers' }],
  stock: [],
  clientPatienceMs: 12_000,
}

/** A round in which nothing has happened yet. */
export interface Story extends Evidence {
  dump: Dump
  lines: { from: string; line: string }[]
}

export function emptyStory(): Story {
  const lines: Story['lines'] = []
  return {
    setting: structuredClone(settings),
    calls: [],
    arrivals: [],
    provider: [],
    faults: [],
    ends: [],
    lines,
    texts: () => lines,
    logs: () => lines.filter(({ from }) => from.startsWith('log/')),
    dump: {
      intents: [],
      deliveries: [],
      webhookendpoints: [],
      wallets: [{ _id: '22999999', phone: '22999999', businessId: null, balance: 1000, current: null }],
      walletmovements: [],
      products: [],
      orders: [],
      auditevents: [],
      importplans: [],
      staffsessions: [],
    },
  }
}

/** Adds a call of the shop's key that took a tenth of a second; what is given counts. */
export function call(
  story: Story,
  seconds: number,
  given: Partial<Call> & Pick<Call, 'what' | 'path'>,
): Call {
  const number = story.calls.length + 1
  const made: Call = {
    call: number,
    began: at(seconds),
    ended: at(seconds + 0.1),
    clockAheadMs: [0, 0],
    actor: 'merchant',
    operation: number,
    attempt: 1,
    timeoutMs: 12_000,
    silentMs: null,
    origin: 'http://127.0.0.1:1',
    business: shop.id,
    keyId: shop.key,
    sandbox: true,
    method: 'POST',
    idempotencyKey: null,
    body: null,
    expects: [],
    status: 200,
    answer: null,
    ...given,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': `request-${number}`,
      ...given.headers,
    },
  }
  story.calls.push(made)
  return made
}

export const good = (data: unknown) => ({ success: true, data })

/** Adds an arrival at the shop's receiver. */
export function arrival(
  story: Story,
  given: Pick<Arrival, 'at' | 'body' | 'headers'> & Partial<Arrival>,
): void {
  story.arrivals.push({
    clockAheadMs: 0,
    path: '/hook/1',
    did: 200,
    begun: null,
    done: given.at + 5,
    ...given,
  })
}
