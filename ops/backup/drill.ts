import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startMongo } from '../../dev/servers.ts'
import { makeIndexes } from '../../src/indexes.ts'
import type { Log } from '../../src/log.ts'
import type { Secrets } from '../../src/secrets.ts'
import { type Books, readBooks } from './books.ts'
import { readNote } from './note.ts'
import { restore } from './restore.ts'

/** What came back, from when it is, and what bringing it back took. */
export interface Drilled extends Books {
  takenAt: string
  tookMs: number
}

/**
 * Restores a backup into a MongoDB of its own on this machine, runs the release step over it, and looks at what is there. Nobody is
 * told anything: no worker runs, so no merchant gets a webhook. `database` is the name in MONGODB_URL.
 */
export async function drill(
  folder: string,
  database: string,
  secrets: Pick<Secrets, 'unseal'>,
  log: Log,
): Promise<Drilled> {
  const beganAt = performance.now()
  const { kind, takenAt } = await readNote(folder)
  const dataDir = await mkdtemp(join(tmpdir(), 'payment-intents-drill-'))
  try {
    if (kind === 'files') await restore(folder, { mongodbUrl: null, dataFiles: dataDir })
    const mongo = await startMongo({ dataDir })
    const mongodbUrl = mongo.url.replace(/[^/]*$/, database)
    try {
      if (kind === 'dump') await restore(folder, { mongodbUrl, dataFiles: null })
      await makeIndexes(mongodbUrl, log)
      const books = await readBooks(mongodbUrl, secrets, log)
      return { takenAt, tookMs: Math.round(performance.now() - beganAt), ...books }
    } finally {
      await mongo.stop()
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}
