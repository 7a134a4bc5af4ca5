import type { Config } from '../../config/config.ts'
import { portOfUrl, toStoredUrl } from '../../input/webhook-url.ts'
import { isOnlyDuplicates, nullIfDuplicate, rawCollection } from '../../mongo/collection.ts'
import { declareCollection, indexIfDate, type Stored } from '../../mongo/declare.ts'
import * as field from '../../mongo/fields.ts'
import { runInBatches } from '../../mongo/in-batches.ts'
import type { Deps } from '../../platform/deps.ts'
import { modeOf } from '../../platform/mode.ts'
import { dayMs, hourMs, minuteMs, toUtcDay } from '../../platform/time.ts'
import { hostOf } from '../deliveries/delivery.ts'
import { createSender } from '../sender/send.ts'
import { type Endpoint, reportedAtOf, undeletedFilter } from './endpoint.ts'

const keptMs = 30 * dayMs

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
  },
  indexes: [
    { name: 'due', key: { nextAttemptAt: 1 }, ...indexIfDate('nextAttemptAt') },
    { name: 'expiry', key: { createdAt: 1 }, expireAfterSeconds: keptMs / 1000 },
  ],
})

export const noticeRuns = declareCollection({
  name: 'noticeruns',
  kept: 'forever, one document',
  fields: { _id: field.oneOf<'last'>(), beganAt: field.date },
  indexes: [],
})
export type Notice = Stored<typeof notices>

const timeoutMs = 10_000
/** After the last wait, the notice is given up. */
const retryWaitsMs = [minuteMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 6 * hourMs]
/** Chat systems accept about one message per second. More become one. */
const maxSeparate = 3
const maxLinks = 5
const maxRead = 10_000
const maxKnown = 20_000
/** A result may be stored this much later than its attempt ended. */
const lateResultMs = minuteMs
/** Also covers a day without workers. */
const firstLookMs = dayMs
const maxCounted = 10_000

export type Notifier = NonNullable<ReturnType<typeof createNotifier>>

/** Webhooks must not reach private addresses, but the operator's URL may be one. */
export function createNotifier(config: Config) {
  const { noticeUrl: url, webhookHeaderBrand } = config
  if (url === null) return null
  const target = new URL(toStoredUrl(url))
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

type NoticeDeps = Pick<
  Deps,
  'NoticeRun' | 'Delivery' | 'Endpoint' | 'Notice' | 'config' | 'log' | 'metrics' | 'now'
> & {
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
  // A minute's notices go out together.
  return (await takeRun(deps)) ? sendDue(deps, notifier, ending) : 0
}

async function takeRun({ NoticeRun, now }: NoticeDeps): Promise<boolean> {
  const at = now()
  const [from, to] = [new Date(at.getTime() - minuteMs), new Date(at.getTime() + minuteMs)]
  // A time in the far future comes from a wrong clock.
  const free = { _id: 'last', beganAt: { $not: { $gt: from, $lte: to } } } as const
  const taken = await rawCollection(NoticeRun)
    .updateOne(free, { $set: { beganAt: at } }, { upsert: true })
    .catch(nullIfDuplicate)
  return taken !== null
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
  await runInBatches(failing, (batch) =>
    createMissing(
      deps,
      notifier,
      batch.map(({ _id: endpointId, businessId, reportedFailure }) => ({
        endpointId,
        businessId,
        at: reportedFailure ? reportedAtOf(reportedFailure) : deps.now(),
      })),
    ),
  )
}

async function createMissing({ Notice, now }: NoticeDeps, { known }: Notifier, reasons: Reason[]) {
  const missing = new Map<string, Notice>()
  // An expired notice isn't sent again, however long the endpoint has failed.
  const oldest = new Date(now().getTime() - keptMs + dayMs)
  for (const { endpointId, businessId, at } of reasons) {
    const _id = `${endpointId} ${toUtcDay(at)}`
    const isNew = at > oldest && !known.has(_id)
    const fields = { createdAt: now(), failures: 0, nextAttemptAt: now() }
    if (isNew) missing.set(_id, { _id, endpointId, businessId, ...fields })
  }
  if (missing.size === 0) return
  await rawCollection(Notice)
    .insertMany([...missing.values()], { ordered: false })
    .catch((error: unknown) => {
      if (!isOnlyDuplicates(error)) throw error
    })
  for (const id of missing.keys()) known.add(id)
}

async function sendDue(deps: NoticeDeps, notifier: Notifier, ending?: AbortSignal): Promise<number> {
  const due = await rawCollection(deps.Notice)
    .find({ nextAttemptAt: { $type: 'date', $lte: deps.now() } })
    .sort({ nextAttemptAt: 1 })
    .limit(maxRead)
    .toArray()
  if (due.length > maxSeparate) await notify(deps, notifier, due, await summarise(deps, due))
  else
    for (const notice of due) {
      if (ending?.aborted) break
      await notify(deps, notifier, [notice], await describe(deps, notice))
    }
  return due.length
}

async function notify(deps: NoticeDeps, notifier: Notifier, about: Notice[], text: string | null) {
  const { now, log, metrics } = deps
  const change = (changes: object) =>
    rawCollection(deps.Notice).updateMany({ _id: { $in: about.map(({ _id }) => _id) } }, [{ $set: changes }])
  if (text === null) return change({ nextAttemptAt: null })
  const { stage, status } = await notifier.send(text)
  const failures = Math.min(...about.map((notice) => notice.failures))
  const waitMs = retryWaitsMs[failures]
  const outcome = stage === null ? 'sent' : waitMs === undefined ? 'given-up' : 'failed'
  metrics.notices.inc({ outcome })
  const endpoints = about.length
  const { endpointId, businessId } = about[0] ?? {}
  const fields = endpoints === 1 ? { endpointId, businessId } : { endpoints }
  if (outcome === 'sent') {
    log.info(fields, 'notice.sent')
    return change({ nextAttemptAt: null })
  }
  const nextAttemptAt = waitMs === undefined ? null : new Date(now().getTime() + waitMs)
  log.warn({ ...fields, stage, status, nextAttemptAt }, 'notice.not-sent')
  const isLast = { $gte: ['$failures', retryWaitsMs.length] }
  return change({
    failures: { $add: ['$failures', 1] },
    nextAttemptAt: { $cond: [isLast, null, nextAttemptAt] },
  })
}

const shownFilter = { ...undeletedFilter, active: true } as const

/** If our own network fails, thousands of endpoints fail at once. */
async function summarise({ Endpoint: model, config }: NoticeDeps, due: Notice[]): Promise<string | null> {
  const ids = [...new Set(due.map(({ endpointId }) => endpointId))]
  const found = await rawCollection(model)
    .find({ _id: { $in: ids }, ...shownFilter }, { projection: { _id: 1 } })
    .toArray()
  if (found.length === 0) return null
  const links = found.slice(0, maxLinks).map(({ _id }) => `${config.publicUrl}/admin/endpoints/${_id}`)
  return `${found.length} endpoints had DEAD deliveries or are failing, e.g. ${links.join(' ')}`
}

const described = { url: 1, sandbox: 1, health: 1 } as const

/** Null if the endpoint is gone or disabled. Tells nothing about customers. */
async function describe(deps: NoticeDeps, { _id, endpointId, businessId }: Notice): Promise<string | null> {
  const endpoint = await rawCollection(deps.Endpoint).findOne<Pick<Endpoint, keyof typeof described>>(
    { _id: endpointId, ...shownFilter },
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
    `The ${modeOf(endpoint)} endpoint ${endpointId} (${hostOf(endpoint)}) of business ${businessId} ${failingSince === null ? 'had DEAD deliveries' : 'is failing'}.`,
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
