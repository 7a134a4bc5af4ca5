import { maxAttempts } from '../../../schemas/deliveries.ts'
import { type EventName, eventScopes } from '../../../schemas/events.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../platform/deps.ts'
import { type BodySource, unsignedHeaders, webhookBody } from '../message.ts'
import type { AttemptRecord, Delivery } from './delivery.ts'
import { shownDueAt } from './delivery.ts'

export const deliveryRowFields = { facts: 0, attemptLog: { $slice: -1 } } as const
export type DeliveryRecord = Omit<Delivery, 'facts'>

/** Returns the URL of the last attempt, if there was one. */
export const deliveryUrl = ({ url, attemptLog }: { url: string; attemptLog: { url: string }[] }): string =>
  attemptLog.at(-1)?.url ?? url

/** Hidden from test keys if the endpoint is live. */
const hidden =
  'url attempts maxAttempts nextAttemptAt lastAttemptAt lastResponseStatus lastError lastDurationMs deliveredAt'
const hiddenFields = Object.fromEntries(hidden.split(' ').map((field) => [field, null]))

/** Finds test deliveries to live endpoints. Test keys can't retry those. */
export async function findAtLiveEndpoints<Found extends Pick<Delivery, '_id' | 'endpointId'>>(
  { Endpoint }: Pick<Deps, 'Endpoint'>,
  { sandbox }: Caller,
  deliveries: Found[],
): Promise<ReadonlySet<Found>> {
  if (!sandbox) return new Set()
  const ids = [...new Set(deliveries.map(({ endpointId }) => endpointId))]
  const found = await Endpoint.find({ _id: { $in: ids }, sandbox }, { _id: 1 }).lean<{ _id: string }[]>()
  const test = new Set(found.map(({ _id }) => _id))
  return new Set(deliveries.filter(({ endpointId }) => !test.has(endpointId)))
}

export async function presentDeliveries(
  deps: Pick<Deps, 'Endpoint'>,
  caller: Caller,
  deliveries: DeliveryRecord[],
) {
  const atLive = await findAtLiveEndpoints(deps, caller, deliveries)
  return deliveries.map((delivery) => ({
    ...presentDelivery(delivery),
    ...(atLive.has(delivery) ? hiddenFields : {}),
  }))
}

export function presentDelivery(delivery: DeliveryRecord) {
  const { _id: id, endpointId, event, referenceNumber, status, attempts, requeues } = delivery
  const { sandbox, createdAt, attemptLog } = delivery
  const about = { id, endpointId, url: deliveryUrl(delivery), event, referenceNumber, status, attempts }
  const last = attemptLog.at(-1)
  return {
    ...about,
    maxAttempts: maxAttempts + requeues,
    nextAttemptAt: shownDueAt(delivery),
    lastAttemptAt: last?.at ?? null,
    lastResponseStatus: last?.status ?? null,
    lastError: last?.stage ?? null,
    lastDurationMs: last?.durationMs ?? null,
    sandbox,
    createdAt,
    deliveredAt: delivery.deliveredAt,
  }
}

/** Returns null before the first attempt. Omits signatures. */
export function lastSentHeaders(
  { config }: Pick<Deps, 'config'>,
  delivery: Pick<Delivery, '_id' | 'event'> & { attemptLog: Pick<AttemptRecord, 'at'>[] },
): Record<string, string> | null {
  const last = delivery.attemptLog.at(-1)
  return last === undefined ? null : unsignedHeaders(config.webhookHeaderBrand, delivery, last.at)
}

/**
 * The payload is null if the key lacks the event's scope. Responses need the
 * scope too, because an endpoint may repeat the payload.
 */
export async function presentFullDelivery(
  deps: Pick<Deps, 'config' | 'Endpoint'>,
  caller: Caller,
  { delivery, source }: { delivery: Delivery; source: BodySource | null },
) {
  const mayRead = caller.scopes.has(eventScopes[delivery.event as EventName])
  const [presented] = await presentDeliveries(deps, caller, [delivery])
  const attemptLog = presented?.url === null ? [] : delivery.attemptLog
  return {
    ...presented,
    lastAttemptHeaders: lastSentHeaders(deps, { ...delivery, attemptLog }),
    payload: mayRead && source !== null ? JSON.parse(webhookBody(delivery, source)) : null,
    attemptLog: attemptLog.map(({ at, url, durationMs, status, stage, error, responseText = null }) => {
      const attempt = { at, url, durationMs, responseStatus: status, error: stage, message: error }
      return { ...attempt, responseBody: mayRead ? responseText : null }
    }),
  }
}
