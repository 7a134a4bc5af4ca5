import type { mongo } from 'mongoose'
import type { Deps } from '../../deps.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import { inBatches } from '../../mongo/in-batches.ts'
import { unlessLocked } from '../../mongo/transaction.ts'
import { newEvent, type OutboxEvent } from '../../outbox/event.ts'
import { endpointFormat } from '../body/endpoint-data.ts'
import type { EndpointEventFacts } from '../body/facts.ts'
import { type Endpoint, standing } from './endpoint.ts'
import { shownUrl } from './shown-url.ts'

/** A single failed attempt is not reported, because a retry may still succeed. */
const minFailures = 2
/** The maximum number of endpoints that are changed concurrently. */
const maxAtOnce = 25

const foundFields = { businessId: 1, sandbox: 1, url: 1, health: 1, reportedFailure: 1 } as const
type Found = Pick<Endpoint, '_id' | keyof typeof foundFields>

type ReportDeps = Pick<Deps, 'Endpoint' | 'Business' | 'transactions' | 'secrets' | 'config' | 'now' | 'log'>

/**
 * Adds an `endpoint.failing` event to the outbox of each endpoint that has been failing for `endpointWarningMs`, and of
 * each reported endpoint that has recovered. The relay sends these events to the other endpoints of the business. The
 * endpoints of a disabled or suspended business are skipped. Returns the number of events added.
 *
 * Each write is guarded, so each failure is reported once, even if several workers find it or a worker is killed. A
 * poll of the outboxes finds the event, so no job is enqueued.
 */
export async function reportFailures(deps: ReportDeps): Promise<number> {
  const failing = await reportAll(deps, findFailing(deps), addFailing)
  const recovered = await reportAll(deps, findRecovered(deps), addRecovered)
  return failing + recovered
}

async function reportAll(
  deps: ReportDeps,
  found: AsyncIterable<Found>,
  add: (deps: ReportDeps, endpoint: Found) => Promise<boolean>,
): Promise<number> {
  let added = 0
  await inBatches(found, async (batch) => {
    const active = await inActiveBusinesses(deps, batch)
    for (let at = 0; at < active.length; at += maxAtOnce) {
      const results = await Promise.all(active.slice(at, at + maxAtOnce).map((endpoint) => add(deps, endpoint)))
      added += results.filter(Boolean).length
    }
  })
  return added
}

async function inActiveBusinesses({ Business }: ReportDeps, found: Found[]): Promise<Found[]> {
  const ids = [...new Set(found.map(({ businessId }) => businessId))]
  const active = await nativeCollection(Business)
    .find({ _id: { $in: ids }, apiEnabled: true, suspended: false }, { projection: { _id: 1 } })
    .toArray()
  const activeIds = new Set(active.map(({ _id }) => _id))
  return found.filter(({ businessId }) => activeIds.has(businessId))
}

/** An endpoint with an event that has not been relayed yet is skipped, so an outbox contains at most one event. */
const withoutEvent = { 'outbox.0': { $exists: false } } as const

function findFailing({ Endpoint, config, now }: ReportDeps): AsyncIterable<Found> {
  const latest = new Date(now().getTime() - config.endpointWarningMs)
  const filter = {
    ...standing,
    active: true,
    'reportedFailure.since': null,
    'health.failingSince': { $type: 'date', $lte: latest },
    'health.failuresInRow': { $gte: minFailures },
    ...withoutEvent,
  }
  return nativeCollection(Endpoint).find<Found>(filter, { projection: foundFields, hint: 'unreported' })
}

async function addFailing(deps: ReportDeps, { _id, businessId, sandbox, url, health }: Found): Promise<boolean> {
  const { failingSince: since } = health
  if (since === null) return false
  const event = failureEvent(deps, 'FAILING', { ...factsOf(deps, url, health), failingSince: since })
  const isAdded = await report(
    deps,
    // The filter contains the values in the event. No attempt has succeeded if `failingSince` is the same.
    {
      _id,
      ...standing,
      active: true,
      url,
      'reportedFailure.since': null,
      'health.failingSince': since,
      ...withoutEvent,
    },
    { $set: { reportedFailure: { since } }, $push: { outbox: event } },
  )
  return noteReport(deps, isAdded, { endpointId: _id, businessId, sandbox, status: 'FAILING' })
}

const findRecovered = ({ Endpoint }: ReportDeps): AsyncIterable<Found> =>
  nativeCollection(Endpoint).find<Found>(
    {
      ...standing,
      'reportedFailure.since': { $type: 'date' },
      'reportedFailure.recoveredAt': { $type: 'date' },
      ...withoutEvent,
    },
    { projection: foundFields, hint: 'reported' },
  )

async function addRecovered(
  deps: ReportDeps,
  { _id, businessId, sandbox, url, health, reportedFailure }: Found,
): Promise<boolean> {
  if (reportedFailure?.recoveredAt === undefined) return false
  const { since, recoveredAt } = reportedFailure
  const facts = { ...factsOf(deps, url, health), failingSince: since, recoveredAt }
  const event = failureEvent(deps, 'RECOVERED', facts)
  const isAdded = await report(
    deps,
    {
      _id,
      ...standing,
      'reportedFailure.since': since,
      'reportedFailure.recoveredAt': recoveredAt,
      ...withoutEvent,
    },
    { $set: { reportedFailure: null }, $push: { outbox: event } },
  )
  return noteReport(deps, isAdded, { endpointId: _id, businessId, sandbox, status: 'RECOVERED' })
}

/** A locked endpoint is left to a later poll. */
async function report(
  deps: ReportDeps,
  filter: mongo.Filter<Endpoint>,
  update: mongo.UpdateFilter<Endpoint>,
): Promise<boolean> {
  const result = await unlessLocked(deps, (session) =>
    nativeCollection(deps.Endpoint).updateOne(filter, update, { session }),
  )
  return result?.modifiedCount === 1
}

/** The URL is not shown whole, because it often contains credentials, and the event goes to other servers. */
const factsOf = (deps: ReportDeps, url: string, { lastError, lastStatus }: Endpoint['health']) => ({
  url: shownUrl(deps, url),
  lastError,
  lastStatus,
})

const failureEvent = (
  { now }: ReportDeps,
  status: 'FAILING' | 'RECOVERED',
  endpoint: EndpointEventFacts,
): OutboxEvent => newEvent('endpoint.failing', now(), { format: endpointFormat, facts: { status, endpoint } }, null)

function noteReport({ log }: ReportDeps, isAdded: boolean, about: Record<string, unknown>): boolean {
  if (isAdded) log.info(about, 'endpoint.reported')
  return isAdded
}
