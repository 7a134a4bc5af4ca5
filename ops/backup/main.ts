// `npm run backup`, `npm run restore`, `npm run drill` (docs/operators/backup.md).
import { parseArgs } from 'node:util'
import mongoose from 'mongoose'
import { parseConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/platform/log.ts'
import { createEncrypter } from '../../src/security/encrypt.ts'
import { backUp } from './back-up.ts'
import { withCaFile } from './ca-file.ts'
import { drill } from './drill.ts'
import { restore } from './restore.ts'

const usage = `npm run backup -- FOLDER [--data-files DBPATH]   backs up the server at MONGODB_URL into a new folder
npm run restore -- FOLDER [--data-files DBPATH]  restores an archive to MONGODB_URL, data files into an empty DBPATH
npm run drill -- FOLDER                          restores into a temporary MongoDB, to prove that it works`

const { MONGODB_URL, MONGODB_TLS_CA, SECRET_KEY, SECRET_KEY_PREVIOUS } = process.env

const interrupted = new AbortController()
const signal = interrupted.signal
// The first signal removes files with secrets or customers' data; a second one ends the process at once.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(name, () => interrupted.abort(new Error(`Interrupted by ${name}`)))

try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { 'data-files': { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help === true) console.log(usage)
  else console.log(JSON.stringify(await start(positionals, values['data-files'] ?? null), null, 2))
} catch (error) {
  const fault: unknown = signal.aborted ? signal.reason : error
  console.error(fault instanceof Error ? fault.message : String(fault))
  process.exitCode = 1
}

function start(words: string[], dataFiles: string | null): Promise<object> {
  if (!MONGODB_URL) return run(words, dataFiles, null)
  return withCaFile(MONGODB_URL, MONGODB_TLS_CA, (mongodbUrl) => run(words, dataFiles, mongodbUrl))
}

async function run(
  [command, folder, ...more]: string[],
  dataFiles: string | null,
  mongodbUrl: string | null,
): Promise<object> {
  if (folder === undefined || more.length > 0) throw new Error(usage)
  if (command === 'restore') return restore(folder, { mongodbUrl, dataFiles }, signal)
  if (mongodbUrl === null) throw new Error('MONGODB_URL is missing')
  if (command === 'backup') return backUp(mongodbUrl, folder, dataFiles, signal)
  if (command !== 'drill') throw new Error(usage)
  const { databaseName } = new mongoose.mongo.MongoClient(mongodbUrl).db()
  // Redis isn't used here.
  const environment = { MONGODB_URL: mongodbUrl, REDIS_URL: 'redis://none', SECRET_KEY, SECRET_KEY_PREVIOUS }
  const { secretKeys } = parseConfig(environment)
  return drill(folder, databaseName, createEncrypter(secretKeys), createLog('warn', 'drill', null), signal)
}
