import { unescape } from 'node:querystring'
import { type IdPage, type IdPageRequest, mapIdPage, readPageById } from '../../mongo/id-page.ts'
import type { Deps } from '../../platform/deps.ts'
import { hourMs, startOfHour } from '../../platform/time.ts'
import { omitUndefined } from '../../platform/without-undefined.ts'
import { countDeliveries, type DeliveryTotals } from '../deliveries/backlog.ts'
import { type Endpoint, endpointSlots, undeletedFilter } from './endpoint.ts'

const shownPath = 4
const shownHash = 8
/** Shorter parts of a URL are rarely secrets, and may be ordinary words. */
const minSecretPart = 12

/** Equal texts have the same one. */
export const fingerprint = (secrets: Deps['secrets'], text: string): string =>
  secrets.hash(text).slice(0, shownHash)

/**
 * Only the merchant sees whole URLs, because many contain secrets. The end of
 * the masked URL shows whether two URLs are equal.
 */
export function maskUrl({ secrets }: Pick<Deps, 'secrets'>, url: string): string {
  const { protocol = '', host = '', pathname = '' } = URL.parse(url) ?? {}
  return `${protocol}//${host}${pathname.slice(0, shownPath)}…${fingerprint(secrets, url)}`
}

/** Many servers repeat the URL in error pages. */
export function maskUrlParts(response: string, url: string): string {
  const { pathname = '', search = '' } = URL.parse(url) ?? {}
  const target = pathname + search
  const parts = target.split(/[/?&=]/).filter((part) => part.length >= minSecretPart)
  const secrets = [target, pathname, search.slice(1), ...parts]
  return mask(response, [...secrets.map(unescape), ...secrets])
}

/** Gateways repeat a password that they reject. */
export function maskHeaderValues(response: string, values: readonly string[]): string {
  const parts = values.flatMap((value) => value.split(' ')).filter((part) => part.length >= minSecretPart)
  return mask(response, [...values, ...parts])
}

const mask = (response: string, secrets: readonly string[]): string =>
  secrets
    .filter((secret) => secret.length > shownPath)
    .reduce((text, secret) => text.replaceAll(secret, '…'), response)

const shownHours = 24

/** The same hour on the next day uses the same field. */
export const attemptHourField = (hour: number): string => `attemptHours.h${(hour / hourMs) % shownHours}`

/** Covers the current hour and the 23 before it. */
export function lastDayStats({ attemptHours, health }: Pick<Endpoint, 'attemptHours' | 'health'>, now: Date) {
  const first = startOfHour(now).getTime() - (shownHours - 1) * hourMs
  const hours = Object.values(attemptHours).filter(({ hour }) => hour.getTime() >= first)
  const attempts = hours.reduce((sum, each) => sum + each.attempts, 0)
  const succeeded = hours.reduce((sum, each) => sum + each.succeeded, 0)
  const { lastFailureAt: at, lastError: error, lastStatus: responseStatus } = health
  return {
    attempts,
    succeeded,
    successRate: attempts === 0 ? null : succeeded / attempts,
    lastError: at === null || at.getTime() < first ? null : { at, error, responseStatus },
  }
}

export type EndpointFacts = ReturnType<typeof endpointFacts>

export type EndpointDetails = EndpointFacts & { deliveries: DeliveryTotals }

export const endpointFields = {
  businessId: 1,
  sandbox: 1,
  url: 1,
  events: 1,
  active: 1,
  health: 1,
  attemptHours: 1,
  reportedFailure: 1,
  createdAt: 1,
  deletedAt: 1,
} as const
const factFields = { ...endpointFields, 'previousSecrets.validUntil': 1 } as const

type Facts = Pick<Endpoint, '_id' | keyof typeof endpointFields | 'previousSecrets'>

function endpointFacts(deps: Pick<Deps, 'secrets' | 'now'>, endpoint: Facts) {
  const { _id: id, url, active, attemptHours, reportedFailure, previousSecrets, ...shown } = endpoint
  const { health, deletedAt } = shown
  const now = deps.now()
  const ends = previousSecrets.map(({ validUntil }) => validUntil).filter((end) => end > now)
  const state = active ? ('active' as const) : ('disabled' as const)
  return {
    id,
    ...shown,
    url: maskUrl(deps, url),
    state: deletedAt === null ? state : ('deleted' as const),
    last24Hours: lastDayStats({ attemptHours, health }, now),
    /** The start of the failure that was reported to other endpoints. */
    reportedFailingSince: reportedFailure?.since ?? null,
    lastAttemptAt: latest([health.lastSuccessAt, health.lastFailureAt]),
    /** Until then, attempts are also signed with the old secret. */
    oldSecretEndsAt: latest(ends),
  }
}

const latest = (times: (Date | null)[]): Date | null =>
  times.reduce((last, time) => (last === null || (time !== null && time > last) ? time : last), null)

type Reads = Pick<Deps, 'Endpoint' | 'Delivery' | 'secrets' | 'now'>

export async function lookUpEndpointFacts(deps: Reads, id: string): Promise<EndpointDetails | null> {
  const endpoint = await deps.Endpoint.findOne({ _id: id }, factFields).lean<Facts | null>()
  return endpoint === null ? null : inDetail(deps, endpoint)
}

export async function listEndpointDetails(deps: Reads, businessId: string): Promise<EndpointDetails[]> {
  const found = await deps.Endpoint.find({ businessId, ...undeletedFilter }, factFields)
    .sort({ createdAt: 1, _id: 1 })
    .limit(endpointSlots.length)
    .lean<Facts[]>()
  return Promise.all(found.map((endpoint) => inDetail(deps, endpoint)))
}

const inDetail = async (deps: Reads, endpoint: Facts): Promise<EndpointDetails> => ({
  ...endpointFacts(deps, endpoint),
  deliveries: await countDeliveries(deps, { endpointId: endpoint._id }),
})

export interface EndpointFilter {
  businessId?: string
  active?: boolean
  failing?: boolean
  /** If true, selects deleted endpoints instead of existing ones. */
  deleted?: boolean
}

export async function listEndpoints(
  deps: Pick<Deps, 'Endpoint' | 'secrets' | 'now'>,
  { failing, deleted, ...filter }: EndpointFilter,
  slice: IdPageRequest,
): Promise<IdPage<EndpointFacts>> {
  const where = {
    ...omitUndefined(filter),
    ...(deleted === true ? { deletedAt: { $type: 'date' } } : undeletedFilter),
    ...(failing === undefined ? {} : { 'health.failuresInRow': failing ? { $gt: 0 } : 0 }),
  }
  const page = await readPageById(deps.Endpoint, where, slice, { fields: factFields })
  return mapIdPage(page, (endpoint) => endpointFacts(deps, endpoint))
}
