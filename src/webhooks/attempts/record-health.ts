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
 * Notes made within this interval are written together. The delay does no harm, because the notes are mainly read by
 * people. A batch of figures may contain the attempts of hundreds of businesses, and takes one update for each of them.
 */
const gatherMs = 1_000

/**
 * Each endpoint has a write of its own, because one that the transaction of a dead process keeps locked for some
 * seconds would hold up a batch.
 */
export function createHealthNotes(models: Pick<Models, 'Endpoint' | 'ActivityHour'>, log: Log): HealthNotes {
  const endpoints = new Map<string, HealthNotes>()
  const figures = createCollector((notes) => addAttempts(models, notes), log)

  function collectorOf(_id: string): HealthNotes {
    const write = (notes: HealthNote[]) => nativeCollection(models.Endpoint).updateOne({ _id }, healthChange(notes))
    const collector = endpoints.get(_id) ?? createCollector(write, log, () => endpoints.delete(_id))
    endpoints.set(_id, collector)
    return collector
  }

  return {
    note(result) {
      collectorOf(result.endpointId).note(result)
      figures.note(result)
    },
    async close() {
      await Promise.all([figures, ...endpoints.values()].map((each) => each.close()))
    },
  }
}

function createCollector(
  write: (notes: HealthNote[]) => Promise<unknown>,
  log: Log,
  onIdle = (): unknown => undefined,
): HealthNotes {
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
