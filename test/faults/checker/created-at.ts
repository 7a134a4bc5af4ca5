import type { Evidence } from './read-folder.ts'
import { dataOf, intentsIn } from './responses.ts'

/** When each intent and order was created, as stored or as a response showed before the clean-up. */
export const createdAtOf = ({ calls, dump }: Evidence): Map<string, number> =>
  new Map([
    ...calls.flatMap((call) => [
      ...intentsIn(call).map((intent) => entry(intent.referenceNumber, intent)),
      ...ordersIn(call),
    ]),
    ...dump.intents.map(({ referenceNumber, createdAt }) => [referenceNumber, createdAt] as const),
    ...dump.orders.map(({ number, createdAt }) => [number, createdAt] as const),
  ])

const entry = (reference: string, { createdAt }: { createdAt: string }) => [reference, Date.parse(createdAt)] as const

function ordersIn(call: Evidence['calls'][number]) {
  if (!call.what.startsWith('order')) return []
  type Shown = { number: string; createdAt: string }
  const data = dataOf<Shown & { items: Shown[] }>(call)
  const shown = call.what === 'order.list' ? data?.items : data && [data]
  return (shown ?? []).map((order) => entry(order.number, order))
}
