import { setMaxListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { rawCollection } from '../../mongo/collection.ts'
import type { Models } from '../../platform/deps.ts'
import type { Log } from '../../platform/log.ts'
import { createWorkTracker } from '../../platform/running-work.ts'
import { startOfHour } from '../../platform/time.ts'
import type { AttemptRecord } from '../deliveries/delivery.ts'
import { attemptHourField } from '../endpoints/endpoint-facts.ts'

type Result = Pick<AttemptRecord, 'at' | 'stage' | 'status' | 'durationMs'>
type HealthNote = Result & { endpointId: string; url: string }

export type HealthRecorder = ReturnType<typeof createHealthRecorder>

/** Only people read these figures, so a one-second delay does no harm. */
const gatherMs = 1_000

/**
 * Each endpoint has its own write, because an endpoint locked by a dead process
 * would delay a whole batch for seconds.
 */
export function createHealthRecorder(models: Pick<Models, 'Endpoint'>, log: Log) {
  const noted = new Map<string, HealthNote[]>()
  const writing = createWorkTracker()
  const closing = new AbortController()
  // Each endpoint adds a listener, and Node.js would warn about that many.
  setMaxListeners(0, closing.signal)

  async function writeAll(_id: string, gathered: HealthNote[]): Promise<void> {
    while (gathered.length > 0) {
      await pause(gatherMs, undefined, { signal: closing.signal }).catch(() => undefined)
      // Results for the old URL say nothing about the new one.
      for (const [url, notes] of Map.groupBy(gathered.splice(0), (note) => note.url))
        await rawCollection(models.Endpoint)
          .updateOne({ _id, url }, healthUpdate(notes))
          .catch((err: unknown) => log.warn({ err, attempts: notes.length }, 'health.not-recorded'))
    }
    noted.delete(_id)
  }

  return {
    note(result: HealthNote): void {
      const _id = result.endpointId
      const gathered = noted.get(_id) ?? []
      gathered.push(result)
      if (noted.has(_id)) return
      noted.set(_id, gathered)
      void writing.add(writeAll(_id, gathered))
    },
    async close(): Promise<void> {
      closing.abort()
      await writing.ended()
    },
  }
}

const isSuccess = ({ stage }: Result): boolean => stage === null

/** The notes must be in the order in which the attempts ended. */
export function healthUpdate(notes: Result[]): Record<string, unknown>[] {
  const success = notes.findLast(isSuccess)
  const failure = notes.findLast((note) => !isSuccess(note))
  return [
    {
      $set: {
        ...(failure && {
          'health.lastFailureAt': failure.at,
          'health.lastError': { $literal: failure.stage },
          'health.lastStatus': failure.status,
        }),
        ...(success && {
          'health.lastSuccessAt': success.at,
          'health.lastDurationMs': success.durationMs,
          reportedFailure: ended(success),
        }),
        ...failuresInRow(notes, success !== undefined),
        ...hourChanges(notes),
      },
    },
  ]
}

function failuresInRow(notes: Result[], hasSuccess: boolean): Record<string, unknown> {
  const latest = notes.slice(notes.findLastIndex(isSuccess) + 1)
  const since = latest[0]?.at ?? null
  return hasSuccess
    ? { 'health.failuresInRow': latest.length, 'health.failingSince': since }
    : {
        'health.failuresInRow': { $add: ['$health.failuresInRow', latest.length] },
        'health.failingSince': { $ifNull: ['$health.failingSince', since] },
      }
}

/** A poll reports the recovery to the business's other endpoints. */
const ended = ({ at }: Result) => ({
  $cond: [
    { $eq: [{ $type: '$reportedFailure' }, 'object'] },
    { $mergeObjects: [{ recoveredAt: at }, '$reportedFailure'] },
    '$reportedFailure',
  ],
})

/** The counts for an hour replace those for the same hour yesterday. */
const hourChanges = (notes: Result[]): Record<string, unknown> =>
  Object.fromEntries(
    [...Map.groupBy(notes, ({ at }) => startOfHour(at).getTime())].map(([start, ofHour]) => {
      const field = attemptHourField(start)
      const hour = new Date(start)
      const add = (name: 'attempts' | 'succeeded', count: number) => ({
        $add: [count, { $cond: [{ $eq: [`$${field}.hour`, hour] }, `$${field}.${name}`, 0] }],
      })
      const succeeded = ofHour.filter(isSuccess).length
      return [
        field,
        { hour, attempts: add('attempts', ofHour.length), succeeded: add('succeeded', succeeded) },
      ]
    }),
  )
