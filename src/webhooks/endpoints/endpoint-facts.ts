import { unescape } from 'node:querystring'
import {
  type IdPage,
  type IdPageRequest,
  mapPage,
  readIdPage,
  sortOrders,
  withoutUndefined,
} from '../../mongo/id-page.ts'
import type { Deps } from '../../platform/deps.ts'
import { type DeliveryTotals, deliveryTotals } from '../deliveries/backlog.ts'
import { type Endpoint, endpointSlots, standing } from './endpoint.ts'

/** The number of characters of a path that are shown, and of the fingerprint of the whole URL. */
const shownPath = 4
const fingerprint = 8
/** A shorter part of a path is hardly a secret, and may be a word that occurs in a response by chance. */
const minSecretPart = 12

/**
 * Shortens a URL for all readers but its merchant, because paths and queries often contain secrets. The keyed
 * fingerprint at the end shows whether two URLs are the same. It changes with SECRET_KEY.
 */
export function shownUrl({ secrets }: Pick<Deps, 'secrets'>, url: string): string {
  const { protocol = '', host = '', pathname = '' } = URL.parse(url) ?? {}
  return `${protocol}//${host}${pathname.slice(0, shownPath)}…${secrets.hash(url).slice(0, fingerprint)}`
}

/** Removes the path and query of the URL from a response, because many servers repeat them in error pages. */
export function withoutPath(response: string, url: string): string {
  const { pathname = '', search = '' } = URL.parse(url) ?? {}
  const target = pathname + search
  const parts = target.split(/[/?&=]/).filter((part) => part.length >= minSecretPart)
  const secrets = [target, pathname, search.slice(1), ...parts].filter((part) => part.length > shownPath)
  return [...secrets.map(unescape), ...secrets].reduce(
    (text, secret) => text.replaceAll(secret, '…'),
    response,
  )
}

const shownHours = 24
const hourMs = 3_600_000

/** Returns the start of the hour that contains `at`, in milliseconds since 1970. */
export const hourOf = (at: Date): number => Math.floor(at.getTime() / hourMs) * hourMs

/** The results of an endpoint's latest attempts. */
export type LastDay = ReturnType<typeof lastDayOf>

/**
 * Returns the field of an endpoint that counts the attempts of an hour. The same hour of the next day uses the same
 * field, so an endpoint has at most 24 of them.
 */
export const hourField = (hour: number): string => `attemptHours.h${(hour / hourMs) % shownHours}`

/**
 * Returns the results of the attempts that ended within the current hour or the 23 hours before it. `successRate` is
 * from 0 to 1, or null if there were no attempts. `lastError` is the last failed attempt, or null if none failed.
 */
export function lastDayOf({ attemptHours, health }: Pick<Endpoint, 'attemptHours' | 'health'>, now: Date) {
  const first = hourOf(now) - (shownHours - 1) * hourMs
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

/** The facts about an endpoint that staff see. They contain neither its secrets nor its whole URL. */
export interface EndpointFacts
  extends Pick<Endpoint, 'businessId' | 'sandbox' | 'url' | 'events' | 'health' | 'createdAt' | 'deletedAt'> {
  id: string
  state: 'active' | 'disabled' | 'deleted'
  lastAttemptAt: Date | null
  last24Hours: LastDay
  /** The start of a failure that was reported to the merchant's other endpoints. Null if no failure was reported. */
  reportedFailingSince: Date | null
  /** When the last overlap of a replaced secret ends. Until then, attempts are also signed with that secret. */
  oldSecretEndsAt: Date | null
}

/** An endpoint with the number of its dead and waiting deliveries. */
export interface EndpointInDetail extends EndpointFacts {
  deliveries: DeliveryTotals
}

/** The fields of an endpoint that staff see, without its secrets. */
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
/** The fields of an endpoint that `endpointFacts` needs. */
const factFields = { ...endpointFields, 'previousSecrets.validUntil': 1 } as const

export function endpointFacts(deps: Pick<Deps, 'secrets' | 'now'>, endpoint: Endpoint): EndpointFacts {
  const now = deps.now()
  const {
    _id: id,
    businessId,
    sandbox,
    url,
    events,
    active,
    createdAt,
    deletedAt,
    previousSecrets,
  } = endpoint
  const { health, attemptHours, reportedFailure } = endpoint
  const ends = previousSecrets.map(({ validUntil }) => validUntil).filter((end) => end > now)
  const state = active ? 'active' : 'disabled'
  return {
    id,
    businessId,
    sandbox,
    url: shownUrl(deps, url),
    events,
    state: deletedAt === null ? state : 'deleted',
    health,
    last24Hours: lastDayOf({ attemptHours, health }, now),
    reportedFailingSince: reportedFailure?.since ?? null,
    lastAttemptAt: latest([health.lastSuccessAt, health.lastFailureAt]),
    oldSecretEndsAt: latest(ends),
    createdAt,
    deletedAt,
  }
}

const latest = (times: (Date | null)[]): Date | null =>
  times.reduce((last, time) => (last === null || (time !== null && time > last) ? time : last), null)

type Reads = Pick<Deps, 'Endpoint' | 'Delivery' | 'secrets' | 'now'>

/** Returns an endpoint, even a deleted one. Returns null if there is no endpoint with this id. */
export async function lookUpEndpointFacts(deps: Reads, id: string): Promise<EndpointInDetail | null> {
  const endpoint = await deps.Endpoint.findOne({ _id: id }, factFields).lean<Endpoint | null>()
  return endpoint === null ? null : inDetail(deps, endpoint)
}

/** Returns a business's endpoints that have not been deleted, oldest first. */
export async function endpointsInDetail(deps: Reads, businessId: string): Promise<EndpointInDetail[]> {
  const found = await deps.Endpoint.find({ businessId, ...standing }, factFields)
    .sort({ createdAt: 1, _id: 1 })
    .limit(endpointSlots.length)
    .lean<Endpoint[]>()
  return Promise.all(found.map((endpoint) => inDetail(deps, endpoint)))
}

const inDetail = async (deps: Reads, endpoint: Endpoint): Promise<EndpointInDetail> => ({
  ...endpointFacts(deps, endpoint),
  deliveries: await deliveryTotals(deps, { endpointId: endpoint._id }),
})

/** Selects endpoints. Omitted fields do not restrict the selection. */
export interface EndpointFilter {
  businessId?: string
  active?: boolean
  /** Whether the last attempt failed. */
  failing?: boolean
  /** If true, selects deleted endpoints instead of existing ones. */
  deleted?: boolean
}

/** Returns the endpoints that match, newest first. */
export async function listEndpoints(
  deps: Pick<Deps, 'Endpoint' | 'secrets' | 'now'>,
  { failing, deleted, ...filter }: EndpointFilter,
  slice: IdPageRequest,
): Promise<IdPage<EndpointFacts>> {
  const where = {
    ...withoutUndefined(filter),
    ...(deleted === true ? { deletedAt: { $type: 'date' } } : standing),
    ...(failing === undefined ? {} : { 'health.failuresInRow': failing ? { $gt: 0 } : 0 }),
  }
  const page = await readIdPage(deps.Endpoint, where, slice, sortOrders.newestFirst, factFields)
  return mapPage(page, (endpoint) => endpointFacts(deps, endpoint))
}
