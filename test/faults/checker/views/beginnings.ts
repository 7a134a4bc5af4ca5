import type { Round } from '../round.ts'
import { dataOf, intentsIn } from './answers.ts'

interface ShownOrder {
  number?: string
  createdAt?: string
}

/**
 * When each intent and order was made, on the service's clock, by the reference that deliveries tell of it: as it stands in MongoDB, or as any answer showed
 * it that has gone since. One that no answer ever showed is not there.
 */
export function beginningsOf({ calls, dump }: Pick<Round, 'calls' | 'dump'>): Map<string, number> {
  const shown = calls.flatMap((call) => [
    ...intentsIn(call).map(({ referenceNumber, createdAt }) => entry(referenceNumber, createdAt)),
    ...ordersIn(call),
  ])
  const stored = [
    ...dump.intents.map(({ referenceNumber, createdAt }) => [referenceNumber, createdAt] as const),
    ...dump.orders.map(({ number, createdAt }) => [number, createdAt] as const),
  ]
  return new Map([...shown, ...stored])
}

const entry = (reference: string, createdAt: string) => [reference, Date.parse(createdAt)] as const

function ordersIn(call: Round['calls'][number]) {
  if (!['order', 'order.read', 'order.list'].includes(call.what)) return []
  const data = dataOf<ShownOrder & { items?: ShownOrder[] }>(call)
  const shown = call.what === 'order.list' ? (data?.items ?? []) : data === null ? [] : [data]
  return shown.flatMap(({ number, createdAt }) =>
    number === undefined || createdAt === undefined ? [] : [entry(number, createdAt)],
  )
}
