import { type PaymentSource, paymentFormats, paymentSourceFields } from '../intents/event-data.ts'
import { type Batcher, createBatcher } from '../mongo/batchers.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Facts, Recorded } from '../outbox/facts.ts'
import type { Models } from '../platform/deps.ts'
import { isId, isOrderNumber } from '../platform/ids.ts'
import { type OrderSource, orderFormats, orderSourceFields } from '../store/orders/event-data.ts'
import type { Delivery } from './deliveries/delivery.ts'

/** The endpoint that an event is about. No document is read for it, because the event's facts contain the rest. */
export interface EndpointSource {
  endpointId: string
}

/** The format that new endpoint events get. */
export const endpointFormat = 1

/** Each format's way of writing `data` as JSON. Never change a released format; add the next number. */
export const endpointFormats: Record<number, (source: EndpointSource, facts: Facts) => string> = {
  1: ({ endpointId }, { status, endpoint }) =>
    JSON.stringify({
      endpoint_id: endpointId,
      reference_number: endpointId,
      url: endpoint?.url,
      status,
      failing_since: endpoint?.failingSince,
      recovered_at: endpoint?.recoveredAt ?? null,
      last_error: endpoint?.lastError,
      last_response_status: endpoint?.lastStatus,
    }),
}

export type BodySource = PaymentSource | OrderSource | EndpointSource

/** All fields of the body but `data`. */
export type BodyHead = Pick<Delivery, '_id' | 'event' | 'eventAt' | 'sandbox'>

/**
 * Returns an event's `data` as JSON, which is the same for all its deliveries. Throws if the format comes from a later
 * version of the service; a worker of that version will take over.
 */
export function composeData({ format, facts }: Recorded, source: BodySource): string {
  if ('endpointId' in source) return known(format, endpointFormats[format])(source, facts)
  return 'items' in source
    ? known(format, orderFormats[format])(source, facts)
    : known(format, paymentFormats[format])(source, facts)
}

function known<Write>(format: number, write: Write | undefined): Write {
  if (write === undefined) throw new Error(`this version cannot write webhooks of format ${format}`)
  return write
}

/** Returns the exact string that is signed and sent (SPEC 6.2). `data` must come from `composeData`. */
export function composeBody({ _id: id, event, eventAt, sandbox }: BodyHead, data: string): string {
  const head = JSON.stringify({ id, event, created_at: eventAt, sandbox })
  return `${head.slice(0, -1)},"data":${data}}`
}

export const bodyOf = (delivery: BodyHead & Recorded, source: BodySource): string =>
  composeBody(delivery, composeData(delivery, source))

type Sources = Pick<Models, 'Intent' | 'Order'>

/** An order with 100 items may take 160 KB, and an intent takes less, so one read returns about 8 MB at most. */
const maxPerRead = 50

/** Reads by reference number. Returns null if the intent or order is gone. The id of an endpoint needs no read. */
export const createBodySourceBatcher = (models: Sources): Batcher<string, BodySource | null> =>
  createBatcher(maxPerRead, async (references) => {
    const found = await findSources(models, references)
    return references.map((reference) => found.get(reference) ?? null)
  })

/** For callers outside the workers. Returns null if the intent or order is gone. */
export const findBodySource = async (models: Sources, reference: string): Promise<BodySource | null> =>
  (await findSources(models, [reference])).get(reference) ?? null

/** Reads what up to a page of events needs. Intents and orders that are gone have no entry. */
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
