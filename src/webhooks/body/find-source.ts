import { type PaymentSource, paymentSourceFields } from '../../intents/event-data.ts'
import { type Batcher, createBatcher } from '../../mongo/batching/batcher.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import type { Models } from '../../platform/deps.ts'
import { isId, isOrderNumber } from '../../platform/ids.ts'
import { type OrderSource, orderSourceFields } from '../../store/orders/event-data.ts'
import type { BodySource } from './compose.ts'

type Sources = Pick<Models, 'Intent' | 'Order'>

/**
 * The maximum number of documents per read. An order with 100 items may be as large as 160 KB, and the metadata of an
 * intent is always smaller than that, so one read returns at most about 8 MB.
 */
const maxPerRead = 50

/**
 * Creates a batcher that uses reference numbers to read the intents and orders from which bodies are composed. The
 * batcher returns null if the intent or order no longer exists. For the id of an endpoint, it reads nothing.
 */
export const createBodySourceBatcher = (models: Sources): Batcher<string, BodySource | null> =>
  createBatcher(maxPerRead, async (references) => {
    const found = await findSources(models, references)
    return references.map((reference) => found.get(reference) ?? null)
  })

/**
 * Reads the intent or order from which a single body is composed, for callers outside the workers. Returns null if the
 * intent or order no longer exists.
 */
export const findBodySource = async (models: Sources, reference: string): Promise<BodySource | null> =>
  (await findSources(models, [reference])).get(reference) ?? null

/**
 * Reads the intents and orders from which the bodies of up to a page of events are composed. The result contains no
 * entry for an intent or order that no longer exists.
 */
export async function findBodySources(
  models: Sources,
  references: readonly string[],
): Promise<Map<string, BodySource>> {
  const unique = [...new Set(references)]
  const found: [string, BodySource][] = []
  for (let start = 0; start < unique.length; start += maxPerRead)
    found.push(...(await findSources(models, unique.slice(start, start + maxPerRead))))
  return new Map(found)
}

async function findSources(
  { Intent, Order }: Sources,
  references: readonly string[],
): Promise<Map<string, BodySource>> {
  const unique = [...new Set(references)]
  const numbers = unique.filter(isOrderNumber)
  const endpointIds = unique.filter(isId)
  const payments = unique.filter((reference) => !isOrderNumber(reference) && !isId(reference))
  const [intents, orders] = await Promise.all([
    payments.length === 0
      ? []
      : nativeCollection(Intent)
          .find<PaymentSource>(
            { referenceNumber: { $in: payments } },
            { projection: { _id: 0, ...paymentSourceFields } },
          )
          .toArray(),
    numbers.length === 0
      ? []
      : nativeCollection(Order)
          .find<OrderSource>({ number: { $in: numbers } }, { projection: orderSourceFields })
          .toArray(),
  ])
  return new Map<string, BodySource>([
    ...intents.map((intent) => [intent.referenceNumber, intent] as const),
    ...orders.map((order) => [order.number, order] as const),
    ...endpointIds.map((endpointId) => [endpointId, { endpointId }] as const),
  ])
}
