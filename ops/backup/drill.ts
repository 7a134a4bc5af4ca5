import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startMongo } from '../../dev/servers.ts'
import { findMongod } from '../../dev/setup/servers.mjs'
import { updateDatabase } from '../../src/context/models.ts'
import type { Log } from '../../src/platform/log.ts'
import type { Encrypter } from '../../src/security/encrypt.ts'
import { readNote } from './note.ts'
import { restore } from './restore.ts'
import { withClient } from './server.ts'
import { type DatabaseSummary, readSummary } from './summary.ts'

/** What was restored, from which instant, and how long the drill took. */
export interface Drilled extends DatabaseSummary {
  takenAt: string
  tookMs: number
}

/**
 * Restores a backup into a temporary MongoDB on this machine, runs the release step, and reads the result. No worker
 * runs, so no merchant gets a webhook. `database` is the name in MONGODB_URL. Leaves nothing behind, even if `until`
 * aborts it.
 * @throws {Error} if the MongoDB of this machine has another version than that of the backup
 */
export async function drill(
  folder: string,
  database: string,
  secrets: Pick<Encrypter, 'decrypt'>,
  log: Log,
  signal: AbortSignal,
): Promise<Drilled> {
  const startedAt = performance.now()
  const { kind, takenAt, mongodb } = await readNote(folder)
  const here = await findMongod()
  if (series(here.version) !== series(mongodb))
    throw new Error(
      `The backup is of MongoDB ${mongodb}; ${here.path} is ${here.version}. Name a ${series(mongodb)} in MONGOMS_SYSTEM_BINARY`,
    )
  const dataDir = await mkdtemp(join(tmpdir(), 'payment-intents-drill-'))
  try {
    if (kind === 'files') {
      await restore(folder, { mongodbUrl: null, dataFiles: dataDir }, signal)
      await leaveReplicaSet(dataDir)
    }
    const mongo = await startMongo({ dataDir })
    const mongodbUrl = mongo.url.replace('/payment_intents', `/${database}`)
    const stop = () => void mongo.stop()
    signal.addEventListener('abort', stop)
    try {
      signal.throwIfAborted()
      if (kind === 'dump') await restore(folder, { mongodbUrl, dataFiles: null }, signal)
      await updateDatabase({ mongodbUrl, mongodbCa: null }, log)
      const summary = await readSummary(mongodbUrl, secrets, log)
      return { takenAt, tookMs: Math.round(performance.now() - startedAt), ...summary }
    } finally {
      signal.removeEventListener('abort', stop)
      await mongo.stop()
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Makes the data files forget the name and the members of their replica set. */
async function leaveReplicaSet(dataDir: string): Promise<void> {
  const mongo = await startMongo({ dataDir, as: 'standalone' })
  try {
    await withClient(mongo.url, (client) => client.db('local').dropDatabase())
  } finally {
    await mongo.stop()
  }
}

/** `8.0` for `8.0.4`. All versions of a series can read its files. */
const series = (version: string): string => version.split('.').slice(0, 2).join('.')
