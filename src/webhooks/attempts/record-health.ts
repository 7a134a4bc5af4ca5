import { setTimeout as pause } from 'node:timers/promises'
import { nativeCollection } from '../../mongo/collection.ts'
import type { Models } from '../../mongo/models.ts'
import type { Log } from '../../process/log.ts'
import { hourField, hourOf } from '../endpoints/last-day.ts'

/** The result of one attempt, which updates the endpoint's health. */
interface HealthNote {
  endpointId: string
  at: Date
  outcome: 'delivered' | 'retrying' | 'dead'
  stage: string | null
  /** The HTTP status of the response. Null if no response arrived. */
  status: number | null
  durationMs: number
}

/**
 * Collects the results of attempts and writes them in the background. If the process is killed, the results of the last
 * `gatherMs` milliseconds are lost.
 */
export type HealthNotes = ReturnType<typeof createCollector>

/**
 * Notes made within this interval are written together. The delay does no harm, because the notes are mainly read by
 * people.
 */
const gatherMs = 1_000

/**
 * Each endpoint has a write of its own, because one that the transaction of a dead process keeps locked for some
 * seconds would hold up a batch.
 */
export function createHealthNotes(models: Pick<Models, 'Endpoint'>, log: Log): HealthNotes {
  const endpoints = new Map<string, HealthNotes>()

  function collectorOf(_id: string): HealthNotes {
    const write = (notes: HealthNote[]) => nativeCollection(models.Endpoint).updateOne({ _id }, healthChange(notes))
    const collector = endpoints.get(_id) ?? createCollector(write, log, () => endpoints.delete(_id))
    endpoints.set(_id, collector)
    return collector
  }

  return {
    note: (result) => collectorOf(result.endpointId).note(result),
    async close() {
      await Promise.all([...endpoints.values()].map((each) => each.close()))
    },
  }
}

function createCollector(
  write: (notes: HealthNote[]) => Promise<unknown>,
  log: Log,
  onIdle = (): unknown => undefined,
) {
  const noted: HealthNote[] = []
  const closing = new AbortController()
  let writing: Promise<void> | null = null

  async function writeAll(): Promise<void> {
    while (noted.length > 0) {
      await pause(gatherMs, undefined, { signal: closing.signal }).catch(() => undefined)
      const notes = noted.splice(0)
      await write(notes).catch((err: unknown) => log.warn({ err, attempts: notes.length }, 'health.not-recorded'))
    }
    writing = null
    onIdle()
  }

  return {
    note(result: HealthNote): void {
      noted.push(result)
      writing ??= writeAll()
    },
    /** Writes the notes that have not been written yet. */
    async close(): Promise<void> {
      closing.abort()
      await writing
    },
  }
}

const isSuccess = ({ outcome }: HealthNote): boolean => outcome === 'delivered'
const isFailure = (note: HealthNote): boolean => !isSuccess(note)

/**
 * Returns the pipeline that updates an endpoint's health. `notes` contains the results of the endpoint's attempts in
 * the order in which the attempts ended.
 */
function healthChange(notes: HealthNote[]): Record<string, unknown>[] {
  const success = notes.findLast(isSuccess)
  const failure = notes.findLast(isFailure)
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
