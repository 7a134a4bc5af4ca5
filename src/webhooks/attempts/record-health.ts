import { setTimeout as pause } from 'node:timers/promises'
import { addAttempts } from '../../activity/note-attempts.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import type { Models } from '../../mongo/models.ts'
import type { Log } from '../../process/log.ts'
import { type HealthNote, healthChange } from './health-change.ts'

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
 * Notes made within these intervals are written together. The delay does no harm, because the notes are mainly read by
 * people. The figures have the longer interval, because a batch may contain the attempts of hundreds of businesses, and
 * takes one update for each of them.
 */
const gatherMs = { health: 200, figures: 1_000 } as const

export function createHealthNotes(models: Pick<Models, 'Endpoint' | 'ActivityHour'>, log: Log): HealthNotes {
  const health = createCollector(gatherMs.health, (notes) => writeEndpoints(models, notes), log)
  const figures = createCollector(gatherMs.figures, (notes) => addAttempts(models, notes), log)
  return {
    note(result) {
      health.note(result)
      figures.note(result)
    },
    async close() {
      await Promise.all([health.close(), figures.close()])
    },
  }
}

function createCollector(everyMs: number, write: (notes: HealthNote[]) => Promise<unknown>, log: Log): HealthNotes {
  const noted: HealthNote[] = []
  const closing = new AbortController()
  let writing: Promise<void> | null = null

  async function writeAll(): Promise<void> {
    while (noted.length > 0) {
      await pause(everyMs, undefined, { signal: closing.signal }).catch(() => undefined)
      const notes = noted.splice(0)
      await write(notes).catch((err: unknown) => log.warn({ err, attempts: notes.length }, 'health.not-recorded'))
    }
    writing = null
  }

  return {
    note(result) {
      noted.push(result)
      writing ??= writeAll()
    },
    async close() {
      closing.abort()
      await writing
    },
  }
}

const writeEndpoints = (models: Pick<Models, 'Endpoint'>, notes: HealthNote[]): Promise<unknown> =>
  nativeCollection(models.Endpoint).bulkWrite(
    [...Map.groupBy(notes, ({ endpointId }) => endpointId)].map(([_id, ofEndpoint]) => ({
      updateOne: { filter: { _id }, update: healthChange(ofEndpoint) },
    })),
    { ordered: false },
  )
