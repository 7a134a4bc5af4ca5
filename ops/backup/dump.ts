import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withClient } from './server.ts'

/** Whether MongoDB's database tools are on the PATH. */
export const hasTools = (): boolean => spawnSync('mongodump', ['--version']).status === 0

const archiveIn = (folder: string): string => `--archive=${join(folder, 'dump.gz')}`

/** Includes the writes during the dump, so the archive shows the database at the end of the dump. */
export const dump = (mongodbUrl: string, folder: string, signal: AbortSignal): Promise<void> =>
  withTools('mongodump', mongodbUrl, ['--gzip', archiveIn(folder), '--oplog'], signal)

/** Every server has these databases. */
const ofTheServer = new Set(['admin', 'config', 'local'])

/** A whole server, without overwriting anything. @throws {Error} if the server has a database */
export async function restoreDump(mongodbUrl: string, folder: string, signal: AbortSignal): Promise<void> {
  const { databases } = await withClient(mongodbUrl, (client) =>
    client.db('admin').admin().listDatabases({ nameOnly: true }),
  )
  const existing = databases.map(({ name }) => name).filter((name) => !ofTheServer.has(name))
  if (existing.length > 0) throw new Error(`The server is not empty: it has ${existing.join(', ')}`)
  // Without --stopOnError, mongorestore skips a document that it can't write, and exits with 0.
  const args = ['--gzip', archiveIn(folder), '--stopOnError', '--oplogReplay']
  await withTools('mongorestore', mongodbUrl, args, signal)
}

/** The URL goes into a file that only this user can read, because the process list shows arguments. */
async function withTools(
  tool: string,
  mongodbUrl: string,
  args: string[],
  signal: AbortSignal,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'payment-intents-backup-'))
  const config = join(folder, 'tools.yaml')
  try {
    await writeFile(config, `uri: ${JSON.stringify(wholeServer(mongodbUrl))}\n`, { mode: 0o600 })
    await run(tool, [`--config=${config}`, ...args], signal)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The tool's output goes to stderr, because it prints its progress every three seconds. */
async function run(tool: string, args: string[], signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const child = spawn(tool, args, { stdio: ['ignore', process.stderr, 'inherit'] })
  const end = () => void child.kill()
  signal.addEventListener('abort', end)
  const [code, killedBy] = (await once(child, 'close')) as [number | null, string | null]
  signal.removeEventListener('abort', end)
  signal.throwIfAborted()
  if (code !== 0) throw new Error(`${tool} ended with ${killedBy ?? code}`)
}

/** `--oplog` doesn't allow the name of a database, which is kept only as the user's. */
export function wholeServer(mongodbUrl: string): string {
  const [, hosts = '', database = '', query = ''] =
    /^(mongodb(?:\+srv)?:\/\/[^/?]+)\/?([^?]*)\??(.*)$/.exec(mongodbUrl) ?? []
  const signsIn = hosts.includes('@') && database !== '' && !/(^|&)authSource=/i.test(query)
  const options = [query, signsIn ? `authSource=${database}` : ''].filter((part) => part !== '').join('&')
  return `${hosts}/${options === '' ? '' : `?${options}`}`
}
