import { setTimeout as pause } from 'node:timers/promises'
import type { Assault } from '../assault.ts'
import type { Scene } from '../generators/attack.ts'
import { cancel, type Plain, plainAttack, post, refund, simulate } from '../generators/plain.ts'
import type { Actor } from './actors.ts'
import type { Cast } from './cast.ts'

const relayMs = 1500
const tag = '~tag~'
const named = { label: tag, metadata: { tag } }
const intent = (more: object): Plain => post('/dev/intents', '/dev/intents', { ...named, ...more })
const productBody = { name: tag, description: tag, price: 100, stock: 1000 }
const product = post('/dev/store/products', '/dev/store/products', productBody)
const order = post('/dev/store/orders/simulate', '/dev/store/orders/simulate', { customer: { name: tag } })
const endpoint = (path: string): Plain =>
  post('/dev/webhooks/endpoints', '/dev/webhooks/endpoints', {
    url: `http://127.0.0.1:~allowed~/${path}/~urltag~`,
    events: ['payment.created', 'payment.confirmed', 'order.new'],
  })
const list = (path: string): Plain => ({ target: `GET ${path}`, method: 'GET', line: `/api/v1${path}` })

const firstResources: Readonly<Record<string, Plain[][]>> = {
  'test secret': [
    [endpoint('hook'), endpoint('redirect')],
    [intent({ amount: 50_000 })],
    [intent({ amount: 50_000 })],
    [intent({ amountType: 'OPEN' })],
    [intent({ amount: 50_000 }), simulate({}), refund({ amount: 100, reason: tag })],
    [intent({ amount: 50_000 }), simulate({})],
    [intent({ amount: 50_000 }), cancel()],
    [product, product, order, order],
  ],
  'live secret': [
    [endpoint('live')],
    [intent({ amount: 50_000 })],
    [intent({ amountType: 'OPEN' })],
    [product, product],
  ],
}

/** Runs for every business in both environments, so that the first requests have something to refer to. */
export async function createFirstResources(assault: Assault, { actors }: Cast): Promise<void> {
  const makers = [...new Set(actors)].filter(({ kind }) => kind in firstResources)
  const playAll = (chains: (kind: string) => Plain[][]): Promise<void> => {
    const scenesOf = (maker: Actor): Scene[] =>
      chains(maker.kind).map((chain) => ({
        oneAtATime: chain.map((request) => plainAttack(request, actors.indexOf(maker))),
        atOnce: [],
      }))
    return assault.play(makers.flatMap(scenesOf), 2)
  }
  await playAll((kind) => firstResources[kind] ?? [])
  await pause(relayMs)
  await playAll(() => [[list('/dev/webhooks/events')], [list('/dev/events')]])
}
