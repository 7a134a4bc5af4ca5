import { setMaxListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { nativeCollection } from '../../mongo/collection.ts'
import type { Models } from '../../platform/deps.ts'
import type { Log } from '../../platform/log.ts'
import { createRunningWork } from '../../platform/running-work.ts'
import type { AttemptRecord } from '../deliveries/delivery.ts'
import { hourField, hourOf } from '../endpoints/endpoint-facts.ts'

/** The result of one attempt, which updates the endpoint's health. */
interface HealthNote extends Pick<AttemptRecord, 'at' | 'stage' | 'status' | 'durationMs'> {
  endpointId: string
}

export type HealthNotes = ReturnType<typeof createHealthNotes>

/**
 * Notes made within this interval are written together. The delay does no harm, because the notes are mainly read by
 * people.
 */
const gatherMs = 1_000

/**
 * Collects the results of attempts and writes them in the background. If the process is killed, the results of the last
 * `gatherMs` milliseconds are lost. Each endpoint has a write of its own, because one that the transaction of a dead
 * process keeps locked for some seconds would hold up a batch.
 */
export function createHealthNotes(models: Pick<Models, 'Endpoint'>, log: Log) {
  const noted = new Map<string, HealthNote[]>()
  const writing = createRunningWork()
  const closing = new AbortController()
  // Each endpoint with notes listens to the signal.
  setMaxListeners(0, closing.signal)

  async function writeAll(_id: string, gathered: HealthNote[]): Promise<void> {
    while (gathered.length > 0) {
      await pause(gatherMs, undefined, { signal: closing.signal }).catch(() => undefined)
      const notes = gathered.splice(0)
      await nativeCollection(models.Endpoint)
        .updateOne({ _id }, healthChange(notes))
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
    /** Writes the notes that have not been written yet. */
    async close(): Promise<void> {
      closing.abort()
      await writing.ended()
    },
  }
}

const isSuccess = ({ stage }: HealthNote): boolean => stage === null

/**
 * Returns the pipeline that updates an endpoint's health. `notes` contains the results of the endpoint's attempts in
 * the order in which the attempts ended.
 */
function healthChange(notes: HealthNote[]): Record<string, unknown>[] {
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

function failuresInRow(notes: HealthNote[], hasSuccess: boolean): Record<string, unknown> {
  const latest = notes.slice(notes.findLastIndex(isSuccess) + 1)
  const since = latest[0]?.at ?? null
  return hasSuccess
    ? { 'health.failuresInRow': latest.length, 'health.failingSince': since }
    : {
        'health.failuresInRow': { $add: ['$health.failuresInRow', latest.length] },
        'health.failingSince': { $ifNull: ['$health.failingSince', since] },
      }
}

/** Records in a reported failure that an attempt has succeeded since the report. The poll then reports the recovery. */
const ended = ({ at }: HealthNote) => ({
  $cond: [
    { $eq: [{ $type: '$reportedFailure' }, 'object'] },
    { $mergeObjects: [{ recoveredAt: at }, '$reportedFailure'] },
    '$reportedFailure',
  ],
})

/** Counts the attempts by hour. The counts of the same hour of an earlier day are replaced. */
const hourChanges = (notes: HealthNote[]): Record<string, unknown> =>
  Object.fromEntries(
    [...Map.groupBy(notes, ({ at }) => hourOf(at))].map(([start, ofHour]) => {
      const field = hourField(start)
      const hour = new Date(start)
      const add = (name: 'attempts' | 'succeeded', count: number) => ({
        $add: [count, { $cond: [{ $eq: [`$${field}.hour`, hour] }, `$${field}.${name}`, 0] }],
      })
      const succeeded = ofHour.filter(isSuccess).length
      return [field, { hour, attempts: add('attempts', ofHour.length), succeeded: add('succeeded', succeeded) }]
    }),
  )
