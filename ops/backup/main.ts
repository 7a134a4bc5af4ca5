// `npm run backup`, `npm run restore`, `npm run drill` (docs/deploy.md, "Backup and restore").
import { parseArgs } from 'node:util'
import mongoose from 'mongoose'
import { createLog } from '../../src/log.ts'
import { createSecrets } from '../../src/secrets.ts'
import { backUp } from './back-up.ts'
import { drill } from './drill.ts'
import { restore } from './restore.ts'

const usage = `npm run backup -- FOLDER [--data-files DBPATH]   of the server at MONGODB_URL, into a new folder
npm run restore -- FOLDER [--data-files DBPATH]  an archive to MONGODB_URL, files into an empty DBPATH
npm run drill -- FOLDER                          into a MongoDB of its own here, to see that it can be`

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { 'data-files': { type: 'string' } },
})
const [command, folder] = positionals
const { MONGODB_URL: mongodbUrl, SECRET_KEY: secretKey = '' } = process.env
const dataFiles = values['data-files'] ?? null

try {
  console.log(JSON.stringify(await run(), null, 2))
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}

async function run(): Promise<object> {
  if (folder === undefined || positionals.length > 2) throw new Error(usage)
  if (command === 'restore') return restore(folder, { mongodbUrl: mongodbUrl ?? null, dataFiles })
  if (mongodbUrl === undefined) throw new Error('MONGODB_URL is missing')
  if (command === 'backup') return backUp(mongodbUrl, folder, dataFiles)
  if (command !== 'drill') throw new Error(usage)
  const { databaseName } = new mongoose.mongo.MongoClient(mongodbUrl).db()
  return drill(
    folder,
    databaseName,
    createSecrets([Buffer.from(secretKey, 'base64')]),
    createLog('warn', 'drill'),
  )
}
