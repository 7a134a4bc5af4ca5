import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withServer } from './server.ts'

/** Whether MongoDB's database tools are on the PATH. */
export const hasTools = (): boolean => spawnSync('mongodump', ['--version']).status === 0

const archiveIn = (folder: string): string => `--archive=${join(folder, 'dump.gz')}`

/** With `oplog`, the archive includes the writes during the dump: it is the database as of the end of the dump. */
export const dump = (mongodbUrl: string, folder: string, oplog: boolean, until: AbortSignal): Promise<void> =>
  withTools('mongodump', mongodbUrl, ['--gzip', archiveIn(folder), ...(oplog ? ['--oplog'] : [])], until)

/** The databases that every server has. */
const ofTheServer = new Set(['admin', 'config', 'local'])

/** @throws {Error} if the server has any database: the archive is of a whole server, and nothing is ever overwritten */
export async function restoreDump(
  mongodbUrl: string,
  folder: string,
  oplog: boolean,
  until: AbortSignal,
): Promise<void> {
  const { databases } = await withServer(mongodbUrl, (client) =>
    client.db('admin').admin().listDatabases({ nameOnly: true }),
  )
  const standing = databases.map(({ name }) => name).filter((name) => !ofTheServer.has(name))
  if (standing.length > 0) throw new Error(`The server is not empty: it has ${standing.join(', ')}`)
  // Without it, mongorestore skips a document that it cannot write, and exits with 0.
  const args = ['--gzip', archiveIn(folder), '--stopOnError', ...(oplog ? ['--oplogReplay'] : [])]
  await withTools('mongorestore', mongodbUrl, args, until)
}

/** Passes the URL in a file that only this user can read, because the list of processes shows arguments. */
async function withTools(
  tool: string,
  mongodbUrl: string,
  args: string[],
  until: AbortSignal,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'payment-intents-backup-'))
  const config = join(folder, 'tools.yaml')
  try {
    await writeFile(config, `uri: ${JSON.stringify(wholeServer(mongodbUrl))}\n`, { mode: 0o600 })
    await run(tool, [`--config=${config}`, ...args], until)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The tool's output goes to stderr: it prints its progress every three seconds, for hours. */
async function run(tool: string, args: string[], until: AbortSignal): Promise<void> {
  until.throwIfAborted()
  const child = spawn(tool, args, { stdio: ['ignore', process.stderr, 'inherit'] })
  const end = () => void child.kill()
  until.addEventListener('abort', end)
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  until.removeEventListener('abort', end)
  until.throwIfAborted()
  if (code !== 0) throw new Error(`${tool} ended with ${signal ?? code}`)
}

/** Removes the name of the database, which `--oplog` does not allow, but keeps it as the database of the user. */
export function wholeServer(mongodbUrl: string): string {
  const [, hosts = '', database = '', query = ''] =
    /^(mongodb(?:\+srv)?:\/\/[^/?]+)\/?([^?]*)\??(.*)$/.exec(mongodbUrl) ?? []
  const signsIn = hosts.includes('@') && database !== '' && !/(^|&)authSource=/i.test(query)
  const options = [query, signsIn ? `authSource=${database}` : ''].filter((part) => part !== '').join('&')
  return `${hosts}/${options === '' ? '' : `?${options}`}`
}
