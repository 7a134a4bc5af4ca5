import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { withServer } from './server.ts'

const run = promisify(execFile)

/** Whether MongoDB's database tools are on the PATH. */
export const hasTools = (): boolean => spawnSync('mongodump', ['--version']).status === 0

const archiveIn = (folder: string): string => `--archive=${join(folder, 'dump.gz')}`

/** `oplog`: what is written meanwhile is in it too, so that the archive is the database as it was at the end of the dump. */
export const dump = (mongodbUrl: string, folder: string, oplog: boolean): Promise<void> =>
  withTools('mongodump', mongodbUrl, ['--gzip', archiveIn(folder), ...(oplog ? ['--oplog'] : [])])

/** @throws {Error} where collections are already: nothing is ever overwritten */
export async function restoreDump(mongodbUrl: string, folder: string, oplog: boolean): Promise<void> {
  const standing = await withServer(mongodbUrl, (client) => client.db().listCollections().toArray())
  if (standing.length > 0) throw new Error('The database is not empty')
  await withTools('mongorestore', mongodbUrl, [
    '--gzip',
    archiveIn(folder),
    ...(oplog ? ['--oplogReplay'] : []),
  ])
}

/** The URL goes by a file that only this user reads: arguments are seen in the list of processes. */
async function withTools(tool: string, mongodbUrl: string, args: string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'payment-intents-backup-'))
  const config = join(folder, 'tools.yaml')
  try {
    await writeFile(config, `uri: ${JSON.stringify(wholeServer(mongodbUrl))}\n`, { mode: 0o600 })
    await run(tool, [`--config=${config}`, ...args])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Without the database's name, which `--oplog` does not go with; who signs in is still looked up there. */
export function wholeServer(mongodbUrl: string): string {
  const [, hosts = '', database = '', query = ''] =
    /^(mongodb(?:\+srv)?:\/\/[^/?]+)\/?([^?]*)\??(.*)$/.exec(mongodbUrl) ?? []
  const signsIn = hosts.includes('@') && database !== '' && !/(^|&)authSource=/i.test(query)
  const options = [query, signsIn ? `authSource=${database}` : ''].filter((part) => part !== '').join('&')
  return `${hosts}/${options === '' ? '' : `?${options}`}`
}
