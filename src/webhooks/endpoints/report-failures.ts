import type { mongo } from 'mongoose'
import { rawCollection } from '../../mongo/collection.ts'
import { runInBatches } from '../../mongo/in-batches.ts'
import { writeIfUnlocked } from '../../mongo/transaction.ts'
import { newEvent } from '../../outbox/event.ts'
import type { Deps } from '../../platform/deps.ts'
import { endpointEventFormat } from '../message.ts'
import { type Endpoint, undeletedFilter } from './endpoint.ts'
import { maskUrl } from './endpoint-facts.ts'

/** After a single failed attempt, a retry may still succeed. */
const minFailures = 2
const maxAtOnce = 25

const foundFields = { businessId: 1, sandbox: 1, url: 1, health: 1, reportedFailure: 1 } as const
type Found = Pick<Endpoint, '_id' | keyof typeof foundFields>

type ReportDeps = Pick<Deps, 'Endpoint' | 'Business' | 'transactions' | 'secrets' | 'config' | 'now' | 'log'>

/**
 * Reports each failure and recovery once, to the business's other endpoints.
 * Returns the number of reports.
 */
export async function reportFailures(deps: ReportDeps): Promise<number> {
  const failing = await reportAll(deps, findFailing(deps), failureOf)
  const recovered = await reportAll(deps, findRecovered(deps), recoveryOf)
  return failing + recovered
}

async function reportAll(
  deps: ReportDeps,
  found: AsyncIterable<Found>,
  reportOf: (endpoint: Found, now: Date) => Report | null,
): Promise<number> {
  let added = 0
  await runInBatches(found, async (batch) => {
    const active = await inActiveBusinesses(deps, batch)
    for (let at = 0; at < active.length; at += maxAtOnce) {
      const results = await Promise.all(
        active
          .slice(at, at + maxAtOnce)
          .map((endpoint) => addReport(deps, endpoint, reportOf(endpoint, deps.now()))),
      )
      added += results.filter(Boolean).length
    }
  })
  return added
}

async function inActiveBusinesses({ Business }: ReportDeps, found: Found[]): Promise<Found[]> {
  const ids = [...new Set(found.map(({ businessId }) => businessId))]
  const active = await rawCollection(Business)
    .find({ _id: { $in: ids }, apiEnabled: true, suspended: false }, { projection: { _id: 1 } })
    .toArray()
  const activeIds = new Set(active.map(({ _id }) => _id))
  return found.filter(({ businessId }) => activeIds.has(businessId))
}

const withoutEvent = { 'outbox.0': { $exists: false } } as const

function findFailing({ Endpoint, config, now }: ReportDeps): AsyncIterable<Found> {
  const latest = new Date(now().getTime() - config.endpointWarningMs)
  const filter = {
    ...undeletedFilter,
    active: true,
    'reportedFailure.since': null,
    'health.failingSince': { $type: 'date', $lte: latest },
    'health.failuresInRow': { $gte: minFailures },
    ...withoutEvent,
  }
  return rawCollection(Endpoint).find<Found>(filter, { projection: foundFields, hint: 'unreported' })
}

const findRecovered = ({ Endpoint }: ReportDeps): AsyncIterable<Found> =>
  rawCollection(Endpoint).find<Found>(
    {
      ...undeletedFilter,
      'reportedFailure.since': { $type: 'date' },
      'reportedFailure.recoveredAt': { $type: 'date' },
      ...withoutEvent,
    },
    { projection: foundFields, hint: 'reported' },
  )

/** `guard` matches only if the reported values are unchanged. */
interface Report {
  status: 'FAILING' | 'RECOVERED'
  guard: mongo.Filter<Endpoint>
  reportedFailure: Endpoint['reportedFailure']
  times: { failingSince: Date; recoveredAt?: Date }
}

function failureOf({ url, health: { failingSince } }: Found, reportedAt: Date): Report | null {
  if (failingSince === null) return null
  const guard = { active: true, url, 'reportedFailure.since': null, 'health.failingSince': failingSince }
  const reportedFailure = { since: failingSince, reportedAt }
  return { status: 'FAILING', guard, reportedFailure, times: { failingSince } }
}

function recoveryOf({ reportedFailure }: Found): Report | null {
  if (reportedFailure?.recoveredAt === undefined) return null
  const { since, recoveredAt } = reportedFailure
  const guard = { 'reportedFailure.since': since, 'reportedFailure.recoveredAt': recoveredAt }
  return { status: 'RECOVERED', guard, reportedFailure: null, times: { failingSince: since, recoveredAt } }
}

/** Skips an endpoint that has changed. A later poll reports a locked one. */
async function addReport(deps: ReportDeps, endpoint: Found, report: Report | null): Promise<boolean> {
  if (report === null) return false
  const { _id, businessId, sandbox, health } = endpoint
  const { status, guard, reportedFailure, times } = report
  // The event goes to other servers, and URLs often contain credentials.
  const url = maskUrl(deps, endpoint.url)
  const facts = {
    status,
    endpoint: { url, lastError: health.lastError, lastStatus: health.lastStatus, ...times },
  }
  const event = newEvent('endpoint.failing', deps.now(), { format: endpointEventFormat, facts }, null)
  const result = await writeIfUnlocked(deps, (session) =>
    rawCollection(deps.Endpoint).updateOne(
      { _id, ...undeletedFilter, ...guard, ...withoutEvent },
      { $set: { reportedFailure }, $push: { outbox: event } },
      { session },
    ),
  )
  if (result?.modifiedCount !== 1) return false
  deps.log.info({ endpointId: _id, businessId, sandbox, status }, 'endpoint.reported')
  return true
}
