import type { Config } from '../../config/config.ts'
import { portOfUrl } from '../../input/webhook-url.ts'
import { isOnlyDuplicates, rawCollection } from '../../mongo/collection.ts'
import { declareCollection, indexIfDate, type Stored } from '../../mongo/declare.ts'
import * as field from '../../mongo/fields.ts'
import { runInBatches } from '../../mongo/in-batches.ts'
import type { Deps } from '../../platform/deps.ts'
import { modeOf } from '../../platform/mode.ts'
import { dayMs, hourMs, minuteMs, toUtcDay } from '../../platform/time.ts'
import { documentLeases } from '../../work/lease.ts'
import { hostOf } from '../deliveries/delivery.ts'
import { createSender } from '../sender/send.ts'
import { type Endpoint, undeletedFilter } from './endpoint.ts'

export const notices = declareCollection({
  name: 'notices',
  kept: 'until it expires 30 days after it was created',
  fields: {
    /** The endpoint's id and the UTC day, so two workers create only one. */
    _id: field.text,
    endpointId: field.text,
    businessId: field.text,
    createdAt: field.date,
    failures: field.whole,
    /** Null once it was sent or given up. */
    nextAttemptAt: field.orNull(field.date),
    leaseToken: field.orNull(field.text),
  },
  indexes: [
    { name: 'due', key: { nextAttemptAt: 1 }, ...indexIfDate('nextAttemptAt') },
    { name: 'expiry', key: { createdAt: 1 }, expireAfterSeconds: (30 * dayMs) / 1000 },
  ],
})
export type Notice = Stored<typeof notices>

const timeoutMs = 10_000
/** Longer than an attempt, so only a dead worker's lease ends. */
const leaseMs = 30_000
/** After the last wait, the notice is given up. */
const retryWaitsMs = [minuteMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 6 * hourMs]
/** Chat systems accept about one message per second. */
const maxPerRun = 5
const maxRead = 10_000
const maxKnown = 20_000
/** A result may be stored this much later than its attempt ended. */
const lateResultMs = minuteMs
/** Also covers a day without workers. */
const firstLookMs = dayMs
const maxCounted = 10_000

export type Notifier = NonNullable<ReturnType<typeof createNotifier>>

/** The operator's URL may be private. Webhooks must not reach it. */
export function createNotifier(config: Config) {
  const { noticeUrl: url, webhookHeaderBrand } = config
  if (url === null) return null
  const target = new URL(url)
  const sender = createSender({
    timeoutMs,
    allowedHosts: new Set([`${target.hostname}:${portOfUrl(target)}`]),
    blockedRanges: [],
    // The proxy may not reach a private address.
    proxy: null,
    maxSockets: 2,
    userAgent: `${webhookHeaderBrand}-Notices`,
  })
  const headers = { 'Content-Type': 'application/json' }
  return {
    deadSince: null as Date | null,
    /** Notices that exist. Saves a query for each failing endpoint. */
    known: new Set<string>(),
    send: (text: string) => sender.send({ owner: 'notices', url, headers, body: JSON.stringify({ text }) }),
    close: () => sender.close(),
  }
}

type NoticeDeps = Pick<Deps, 'Delivery' | 'Endpoint' | 'Notice' | 'config' | 'log' | 'metrics' | 'now'> & {
  notifier: Notifier | null
}

/**
 * Tells operators once per UTC day about each endpoint with a DEAD delivery or
 * a reported failure. The stored facts are found again after a kill.
 */
export async function sendNotices(deps: NoticeDeps, ending?: AbortSignal): Promise<number> {
  const { notifier } = deps
  if (notifier === null) return 0
  if (notifier.known.size > maxKnown) notifier.known.clear()
  await noteDead(deps, notifier)
  await noteFailing(deps, notifier)
  for (let sent = 0; sent < maxPerRun; sent += 1)
    if (ending?.aborted || !(await sendNext(deps, notifier))) return sent
  return maxPerRun
}

type Reason = Pick<Notice, 'endpointId' | 'businessId'> & { at: Date }

async function noteDead(deps: NoticeDeps, notifier: Notifier): Promise<void> {
  const now = deps.now().getTime()
  const since = notifier.deadSince ?? new Date(now - firstLookMs)
  const dead = await rawCollection(deps.Delivery)
    .find({ deadAt: { $type: 'date', $gte: since } })
    .project<Reason>({ _id: 0, endpointId: 1, businessId: 1, at: '$deadAt' })
    .sort({ deadAt: 1 })
    .hint('deadByTime')
    .limit(maxRead)
    .toArray()
  await createMissing(deps, notifier, dead)
  const last = dead.length === maxRead ? dead.at(-1) : undefined
  notifier.deadSince = last?.at ?? new Date(now - lateResultMs)
}

/** The day is the one on which the failure had lasted long enough. */
async function noteFailing(deps: NoticeDeps, notifier: Notifier): Promise<void> {
  const failing = rawCollection(deps.Endpoint).find<Pick<Endpoint, '_id' | 'businessId' | 'reportedFailure'>>(
    {
      ...undeletedFilter,
      active: true,
      'reportedFailure.since': { $type: 'date' },
      'reportedFailure.recoveredAt': null,
    },
    { projection: { businessId: 1, reportedFailure: 1 }, hint: 'reported' },
  )
  const { endpointWarningMs } = deps.config
  await runInBatches(failing, (batch) =>
    createMissing(
      deps,
      notifier,
      batch.map(({ _id: endpointId, businessId, reportedFailure }) => {
        const since = reportedFailure?.since ?? deps.now()
        return { endpointId, businessId, at: new Date(since.getTime() + endpointWarningMs) }
      }),
    ),
  )
}

async function createMissing({ Notice, now }: NoticeDeps, { known }: Notifier, reasons: Reason[]) {
  const missing = new Map<string, Notice>()
  for (const { endpointId, businessId, at } of reasons) {
    const _id = `${endpointId} ${toUtcDay(at)}`
    const due = { nextAttemptAt: now(), leaseToken: null }
    if (!known.has(_id))
      missing.set(_id, { _id, endpointId, businessId, createdAt: now(), failures: 0, ...due })
  }
  if (missing.size === 0) return
  await rawCollection(Notice)
    .insertMany([...missing.values()], { ordered: false })
    .catch((error: unknown) => {
      if (!isOnlyDuplicates(error)) throw error
    })
  for (const id of missing.keys()) known.add(id)
}

/** Returns false if no notice is due. */
async function sendNext(deps: NoticeDeps, notifier: Notifier): Promise<boolean> {
  const { now, log, metrics } = deps
  const leases = documentLeases<Notice>(rawCollection(deps.Notice), { field: 'nextAttemptAt', leaseMs }, now)
  const notice = await leases.take(
    { nextAttemptAt: { $type: 'date', $lte: now() } },
    { sort: { nextAttemptAt: 1 } },
  )
  if (notice === null) return false
  const { endpointId, businessId, failures } = notice
  const end = (changes: Partial<Notice>) =>
    leases.change(notice, { $set: { nextAttemptAt: null, leaseToken: null, ...changes } })
  const text = await describe(deps, notice)
  if (text === null) {
    await end({})
    return true
  }
  const { stage, status } = await notifier.send(text)
  const waitMs = retryWaitsMs[failures]
  const outcome = stage === null ? 'sent' : waitMs === undefined ? 'given-up' : 'failed'
  metrics.notices.inc({ outcome })
  if (outcome === 'sent') {
    await end({})
    log.info({ endpointId, businessId }, 'notice.sent')
    return true
  }
  const nextAttemptAt = waitMs === undefined ? null : new Date(now().getTime() + waitMs)
  await end({ nextAttemptAt, failures: failures + 1 })
  log.warn({ endpointId, businessId, stage, status, nextAttemptAt }, 'notice.not-sent')
  return true
}

const described = { url: 1, sandbox: 1, health: 1 } as const

/** Null if the endpoint was deleted. Contains nothing about customers. */
async function describe(deps: NoticeDeps, { _id, endpointId, businessId }: Notice): Promise<string | null> {
  const endpoint = await rawCollection(deps.Endpoint).findOne<Pick<Endpoint, keyof typeof described>>(
    { _id: endpointId, ...undeletedFilter },
    { projection: described },
  )
  if (endpoint === null) return null
  const { failuresInRow, lastError, lastStatus, failingSince } = endpoint.health
  const day = _id.slice(-'YYYY-MM-DD'.length)
  const dead = await rawCollection(deps.Delivery).countDocuments(
    { endpointId, deadAt: { $gte: new Date(day) } },
    { hint: 'deadByEndpoint', limit: maxCounted },
  )
  return [
    `The ${modeOf(endpoint)} endpoint ${endpointId} (${hostOf(endpoint)}) of business ${businessId} is failing.`,
    `DEAD deliveries since ${day}: ${dead === maxCounted ? 'over ' : ''}${dead}.`,
    ...(failingSince === null
      ? []
      : [
          `Failed attempts in a row: ${failuresInRow}, since ${failingSince.toISOString()}.`,
          `The last failed with ${lastStatus === null ? lastError : `status ${lastStatus}`}.`,
        ]),
    `${deps.config.publicUrl}/admin/endpoints/${endpointId}`,
  ].join(' ')
}
