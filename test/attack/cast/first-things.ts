import { setTimeout as pause } from 'node:timers/promises'
import type { Assault } from '../assault.ts'
import { cancel, type Plain, plainAttack, post, refund, simulate } from '../generators/plain.ts'
import type { Cast } from './cast.ts'

/** The longest time from an event to its delivery. */
const relayMs = 1500

const mark = '~mark~'
const intent = (more: object): Plain =>
  post('/dev/intents', '/dev/intents', { label: mark, metadata: { mark }, ...more })
const product = post('/dev/store/products', '/dev/store/products', {
  name: mark,
  description: mark,
  price: 100,
  stock: 1000,
})
const order = post('/dev/store/orders/simulate', '/dev/store/orders/simulate', { customer: { name: mark } })
const endpoint = (path: string): Plain =>
  post('/dev/webhooks/endpoints', '/dev/webhooks/endpoints', {
    url: `http://127.0.0.1:~honest~/${path}/~urlmark~`,
    events: ['payment.created', 'payment.confirmed', 'order.new'],
  })
const deliveries: Plain = {
  target: 'GET /dev/webhooks/events',
  method: 'GET',
  line: '/api/v1/dev/webhooks/events',
}

const firstThings: Readonly<Record<string, Plain[][]>> = {
  'test secret': [
    [endpoint('hook'), endpoint('redirect')],
    [intent({ amount: 50_000 })],
    [intent({ amount: 50_000 })],
    [intent({ amountType: 'OPEN' })],
    [intent({ amount: 50_000 }), simulate({}), refund({ amount: 100, reason: mark })],
    [intent({ amount: 50_000 }), simulate({})],
    [intent({ amount: 50_000 }), cancel()],
    [product, product, order, order],
  ],
  'live secret': [[intent({ amount: 50_000 })], [intent({ amountType: 'OPEN' })], [product, product]],
}

/** Creates some resources for every business in both environments, so that the first requests can refer to them. */
export async function lay(assault: Assault, { actors }: Cast): Promise<void> {
  const makers = [...new Set(actors)].filter(({ kind }) => kind in firstThings)
  const playAll = (chains: (kind: string) => Plain[][]): Promise<void> =>
    assault.play(
      makers.flatMap((maker) => {
        const place = actors.indexOf(maker)
        return chains(maker.kind).map((chain) => ({
          oneAtATime: chain.map((each) => plainAttack(each, place)),
          atOnce: [],
        }))
      }),
      2,
    )
  await playAll((kind) => firstThings[kind] ?? [])
  await pause(relayMs)
  await playAll(() => [[deliveries]])
}
