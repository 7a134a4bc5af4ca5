// `npm run stack`: runs only MongoDB and Redis until it is stopped. Prints one line, an environment for the service.
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join, relative, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { endWithParent } from './end-with-parent.mjs'
import { query } from './servers/query.ts'
import { type Server, startMongo, startRedis } from './servers.ts'

// Supervisors end a killed holder's servers within 5 s.
const LEFTOVER_LIMIT_MS = 8000
// The holder polls its parent, and so does the command in between (end-with-parent.mjs). Both end soon after a kill -9.
const UNAWARE_LIMIT_MS = 1500

interface Note {
  port: number
  serverPids: number[]
  news: string
}

/** The only process that uses a folder listens on a port named in it. If it doesn't respond, the process was killed. */
async function holdFolder(folder: string, command: string) {
  const file = join(folder, 'running.json')
  const read = (): Promise<Note | null> => readFile(file, 'utf8').then(JSON.parse, () => null)
  await mkdir(folder, { recursive: true })
  const startedAt = Date.now()
  let last = await read()
  while (last !== null && (await query(last.port, 'who?')) === file) {
    if (Date.now() > startedAt + UNAWARE_LIMIT_MS)
      throw new Error(
        `\`${command}\` already runs here, with its data in ${relative('.', folder)}: ${last.news}`,
      )
    await sleep(50)
    last = await read()
  }
  // The servers of a killed holder, and of one that is just ending.
  const deadline = Date.now() + LEFTOVER_LIMIT_MS
  const leftovers = last?.serverPids ?? []
  while (leftovers.some(isAlive) && Date.now() < deadline) await sleep(50)

  const listener = createServer((socket) => {
    socket.on('error', () => {})
    socket.end(file)
  })
  await once(listener.listen(0, '127.0.0.1').unref(), 'listening')
  const { port } = listener.address() as AddressInfo
  const note = (news: string, serverPids: number[]) =>
    writeFile(file, JSON.stringify({ port, serverPids, news } satisfies Note))
  await note('it is just starting', [])
  return {
    /** The message for commands that find the folder in use, and the servers that must end before its next use. */
    publish: (news: string, servers: readonly { pid: number | undefined }[]) =>
      note(
        news,
        servers.flatMap(({ pid }) => pid ?? []),
      ),
    release: () => listener.close(),
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Servers that keep their data, or those at MONGODB_URL and REDIS_URL. Throws if the command already runs here. */
export async function startLocalServers(command: 'demo' | 'stack') {
  const { MONGODB_URL, REDIS_URL } = process.env
  const folder = resolve('.data', command)
  const hold = await holdFolder(folder, `npm run ${command}`)
  const [mongo, redis] = await Promise.all([
    MONGODB_URL ? { url: MONGODB_URL } : startMongo({ dataDir: resolve(folder, 'mongodb') }),
    REDIS_URL ? { url: REDIS_URL } : startRedis({ dataDir: resolve(folder, 'redis'), appendonly: true }),
  ])
  const own = [mongo, redis].filter((server): server is Server => 'pid' in server)
  console.error(`MongoDB ${describe(mongo)}, Redis ${describe(redis)}, data in ${relative('.', folder)}`)
  await hold.publish(`MONGODB_URL=${mongo.url} REDIS_URL=${redis.url}`, own)
  return {
    mongoUrl: mongo.url,
    redisUrl: redis.url,
    stop: async () => {
      hold.release()
      await Promise.all(own.map((server) => server.stop()))
    },
  }
}

const describe = (server: Server | { url: string }) =>
  'pid' in server ? `${server.version} on port ${server.port}` : `at ${new URL(server.url).host}`

/** Resolves at the first signal that stops this process. Later signals have no effect. */
export function stopSignal(): Promise<void> {
  return new Promise((done) => {
    const keepAlive = setInterval(() => {}, 60_000)
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        clearInterval(keepAlive)
        done()
      })
    }
  })
}

if (import.meta.filename === process.argv[1]) {
  endWithParent()
  try {
    const servers = await startLocalServers('stack')
    console.log(`MONGODB_URL=${servers.mongoUrl} REDIS_URL=${servers.redisUrl}`)
    await stopSignal()
    await servers.stop()
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
}
