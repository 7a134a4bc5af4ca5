import { setTimeout as pause } from 'node:timers/promises'
import { advisory, nativeCollection } from '../../mongo/collection.ts'
import type { Models } from '../../mongo/models.ts'
import { groupBy } from '../../polyfills/group-by.ts'
import type { Log } from '../../process/log.ts'
import { hourOf } from '../deliveries/delivery-hour.ts'
import type { Verdict } from './verdict.ts'

/** The result of one attempt. These results update the endpoint's health and the hourly charts on the staff pages. */
export interface HealthNote {
  endpointId: string
  at: Date
  outcome: Verdict['outcome']
  stage: string | null
}

/**
 * Collects the results of attempts and writes them in the background. If the process is killed, the results of the last
 * `gatherMs` milliseconds are lost.
 */
export interface HealthNotes {
  note(result: HealthNote): void
  /** Writes the notes that have not been written yet. */
  close(): Promise<void>
}

/**
 * Notes made within this interval are written together. The delay does no harm, because the notes are mainly read by
 * people.
 */
const gatherMs = 200

export function createHealthNotes(models: Pick<Models, 'Endpoint' | 'DeliveryHour'>, log: Log): HealthNotes {
  const noted: HealthNote[] = []
  const closing = new AbortController()
  let writing: Promise<void> | null = null

  async function write(): Promise<void> {
    while (noted.length > 0) {
      await pause(gatherMs, undefined, { signal: closing.signal }).catch(() => undefined)
      const notes = noted.splice(0)
      await Promise.all([writeEndpoints(models, notes), writeHours(models, notes)]).catch((err) =>
        log.warn({ err, attempts: notes.length }, 'health.not-recorded'),
      )
    }
    writing = null
  }

  return {
    note(result) {
      noted.push(result)
      writing ??= write()
    },
    async close() {
      closing.abort()
      await writing
    },
  }
}

const writeEndpoints = (models: Pick<Models, 'Endpoint'>, notes: HealthNote[]): Promise<unknown> =>
  nativeCollection(models.Endpoint).bulkWrite(
    [...groupBy(notes, ({ endpointId }) => endpointId)].map(([_id, ofEndpoint]) => ({
      updateOne: { filter: { _id }, update: healthChange(ofEndpoint) },
    })),
    { ordered: false, writeConcern: advisory },
  )

/**
 * Returns the update to an endpoint's health. `notes` contains the results of the endpoint's attempts in the order in
 * which the attempts ended.
 */
function healthChange(notes: HealthNote[]) {
  const success = notes.findLast(({ outcome }) => outcome === 'delivered')
  const failure = notes.findLast(({ outcome }) => outcome !== 'delivered')
  const failures = notes.length - 1 - notes.findLastIndex(({ outcome }) => outcome === 'delivered')
  return {
    $set: {
      ...(failure && { 'health.lastFailureAt': failure.at, 'health.lastError': failure.stage }),
      ...(success && { 'health.lastSuccessAt': success.at, 'health.failuresInRow': failures }),
    },
    ...(success ? {} : { $inc: { 'health.failuresInRow': failures } }),
  }
}

function writeHours(models: Pick<Models, 'DeliveryHour'>, notes: HealthNote[]): Promise<unknown> {
  const hours = groupBy(notes, ({ at }) => hourOf(at))
  return nativeCollection(models.DeliveryHour).bulkWrite(
    [...hours].map(([hour, ofHour]) => ({
      updateOne: { filter: { _id: new Date(hour) }, update: { $inc: outcomesOf(ofHour) }, upsert: true },
    })),
    { ordered: false, writeConcern: advisory },
  )
}

/**
 * Counts the outcomes of attempts. Always returns all three counts, even if some of them are 0, so that the document
 * for a new hour contains all fields.
 */
function outcomesOf(notes: HealthNote[]) {
  const counts = { delivered: 0, retrying: 0, dead: 0 }
  for (const { outcome } of notes) counts[outcome] += 1
  return counts
}
