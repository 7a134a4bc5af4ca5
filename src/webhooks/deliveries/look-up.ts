import { anyTimeSpan } from '../../input/span.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { endpointFields, maskUrl, maskUrlParts } from '../endpoints/endpoint-facts.ts'
import { findBodySource, webhookBody } from '../message.ts'
import { maxStoredBytes } from '../sender/send.ts'
import { deadFilter } from './backlog.ts'
import type { AttemptRecord, Delivery } from './delivery.ts'
import { deliveryRowFields } from './present.ts'

/** Omits responses and event facts, which belong to merchant and customer. */
export type ListedDelivery = Omit<Delivery, 'facts' | 'attemptLog'> & {
  attemptLog: Omit<AttemptRecord, 'responseText'>[]
}
/** `isHidden` is true if the response repeats data that staff may not see. */
export type StaffAttempt = AttemptRecord & { isHidden: boolean }
export type StaffDelivery = Omit<ListedDelivery, 'attemptLog'> & { attemptLog: StaffAttempt[] }

export type StaffEndpoint = Pick<Endpoint, '_id' | keyof typeof endpointFields>

const tracedFields = { facts: 0, 'attemptLog.responseText': 0 }

/** Enough for 100 events, each sent to 5 endpoints. */
export const maxDeliveriesShown = 500
/** A longer page would be hard to read on a phone. */
const maxListed = 20

type Reads = Pick<Deps, 'Delivery' | 'Endpoint' | 'secrets'>

/** Staff must not see whole URLs, because many contain secrets. */
const shownUrls =
  (deps: Reads) =>
  <Found extends { url: string; attemptLog?: { url: string }[] }>(found: Found): Found => {
    const attempts = found.attemptLog?.map((attempt) => ({ ...attempt, url: maskUrl(deps, attempt.url) }))
    return { ...found, url: maskUrl(deps, found.url), ...(attempts && { attemptLog: attempts }) }
  }

const findDeliveries = (
  deps: Reads,
  filter: Record<string, unknown>,
  fields: object,
  options: { sort?: Record<string, 1 | -1>; limit: number },
): Promise<ListedDelivery[]> =>
  deps.Delivery.find(filter, fields, options)
    .lean<ListedDelivery[]>()
    .transform((found) => found.map(shownUrls(deps)))

export const lookUpDelivery = async (deps: Reads, id: string): Promise<ListedDelivery | null> =>
  (await findDeliveries(deps, { _id: id }, tracedFields, { limit: 1 }))[0] ?? null

export async function lookUpWithResponses(
  deps: Reads & Pick<Deps, 'Intent' | 'Order'>,
  id: string,
): Promise<StaffDelivery | null> {
  const delivery = await deps.Delivery.findOne({ _id: id }).lean<Delivery | null>()
  if (delivery === null) return null
  const { facts: _facts, ...traced } = delivery
  const source = await findBodySource(deps, delivery.referenceNumber)
  // Without the source, we don't know what to hide.
  const filter = source === null ? () => null : createResponseFilter(webhookBody(delivery, source))
  return shownUrls(deps)({
    ...traced,
    attemptLog: traced.attemptLog.map((attempt) => filtered(attempt, filter)),
  })
}

function filtered(attempt: AttemptRecord, filter: ReturnType<typeof createResponseFilter>): StaffAttempt {
  if (typeof attempt.responseText !== 'string') return { ...attempt, isHidden: false }
  const responseText = filter(attempt.responseText)
  const isHidden = responseText === null
  return { ...attempt, responseText: isHidden ? null : maskUrlParts(responseText, attempt.url), isHidden }
}

export function lookUpDeliveries(deps: Reads, referenceNumber: string): Promise<ListedDelivery[]> {
  const options = { sort: { createdAt: 1, _id: 1 }, limit: maxDeliveriesShown } as const
  return findDeliveries(deps, { referenceNumber }, tracedFields, options)
}

export function listLatestDead(deps: Reads, endpointId: string): Promise<ListedDelivery[]> {
  const options = { sort: { deadAt: -1 }, limit: maxListed } as const
  return findDeliveries(deps, { endpointId, ...deadFilter(anyTimeSpan) }, deliveryRowFields, options)
}

const newestFirst = { sort: { createdAt: -1, _id: -1 }, limit: maxListed } as const

export function listFailedDeliveries(deps: Reads, businessId: string): Promise<ListedDelivery[]> {
  const inTrouble = { businessId, sandbox: { $in: [true, false] }, status: { $in: ['RETRYING', 'DEAD'] } }
  return findDeliveries(deps, inTrouble, deliveryRowFields, newestFirst)
}

const findEndpoints = (deps: Reads, filter: Record<string, unknown>, options = {}) =>
  deps.Endpoint.find(filter, endpointFields, options)
    .lean<StaffEndpoint[]>()
    .transform((found) => found.map(shownUrls(deps)))

export const lookUpEndpoints = (deps: Reads, ids: readonly string[]): Promise<StaffEndpoint[]> =>
  findEndpoints(deps, { _id: { $in: ids } })

export const lookUpEndpoint = async (deps: Reads, id: string): Promise<StaffEndpoint | null> =>
  (await lookUpEndpoints(deps, [id]))[0] ?? null

export async function endpointsOfDeliveries(
  deps: Reads,
  deliveries: readonly ListedDelivery[],
): Promise<Map<string, StaffEndpoint>> {
  const ids = [...new Set(deliveries.map(({ endpointId }) => endpointId))]
  const endpoints = ids.length === 0 ? [] : await lookUpEndpoints(deps, ids)
  return new Map(endpoints.map((endpoint) => [endpoint._id, endpoint]))
}

/** Returns the newest first. Includes deleted endpoints. */
export const listAllEndpoints = (deps: Reads, businessId: string): Promise<StaffEndpoint[]> =>
  findEndpoints(deps, { businessId }, newestFirst)

/** Omits an order's customer, and a payment's metadata and short code. */
const shownFields =
  '_id reference_number number status items total amount currency paid_at payer_phone commission ' +
  'failure refund created_at endpoint_id url failing_since recovered_at last_error ' +
  'last_response_status'
const shownToStaff = new Set(shownFields.split(' '))

/** A shorter value is found only as a separate word. */
const shortestValue = 6

/**
 * The filter returns null if a response repeats hidden data: a whole value,
 * however it's spaced, or one of its words.
 */
export function createResponseFilter(body: string): (response: string) => string | null {
  const { data, ...envelope } = JSON.parse(body) as { data: Record<string, unknown> }
  const shown = Object.entries(data).filter(([field]) => shownToStaff.has(field))
  const hidden = Object.entries(data).filter(([field]) => !shownToStaff.has(field))
  const fields = [...Object.keys(data), ...hidden.flatMap(([, value]) => Object.keys(value ?? {}))]
  const known = new Set(wordsOf(folded(JSON.stringify([envelope, shown, fields, true, false, null]))))
  const values = hidden.flatMap(([, value]) => textsIn(value)).map(folded)
  const words = new Set(
    values.flatMap((value) => wordsOf(withoutHosts(value))).filter((word) => !known.has(word)),
  )
  const runs = values.map(runOf).filter((run) => run.length >= shortestValue)
  return (response) => {
    const text = folded(decoded(response))
    const run = joined(text)
    const isPrivate = wordsOf(text).some((word) => words.has(word)) || runs.some((each) => run.includes(each))
    return isPrivate ? null : withoutCutWord(response)
  }
}

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** An endpoint may repeat a value with JSON or URL escapes. */
const decoded = (text: string): string =>
  text
    .replace(/\\u([0-9a-f]{4})/gi, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\[bfnrt]/g, ' ')
    .replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString())

/** `AÏCHA` becomes `aicha`. */
const folded = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

/** Host names reveal nothing about a customer. */
const withoutHosts = (text: string): string => text.replace(/@\S*|\bhttps?:\/\/[^/\s]*/g, ' ')

/** Skips short words and numbers such as `of` and `500`. */
const wordsOf = (text: string): string[] => text.match(/\p{L}{3,}|\p{N}{4,}/gu) ?? []

const joined = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, '')

/** Drops the country code of a phone number. */
const runOf = (text: string): string => joined(text).replace(/^\d+(?=\d{8}$)/, '')

/** The filter wouldn't recognise a phone number that was cut off. */
const withoutCutWord = (response: string): string =>
  Buffer.byteLength(response) > maxStoredBytes - 4 ? response.replace(/[\p{L}\p{N}]+$/u, '…') : response
