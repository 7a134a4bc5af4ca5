import { mkdir, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, isFree } from './free-port.ts'
import { type Supervised, supervise } from './supervise.ts'

// A mongod that repairs its journal on a slow disk is the slowest start seen: 4 s.
const START_LIMIT_MS = 30_000
// Somebody else may take a free port between the look and the start.
const PORT_TRIES = 3

type Options = Record<string, string | string[] | true>

export interface Kind {
  name: 'MongoDB' | 'Redis'
  binary: { path: string; version: string }
  /** Its own, beside port and folder; `true` for those without a value, a list for those with several. */
  options: Options
  folderOption: string
  url(port: number): string
  answers(port: number): Promise<boolean>
}

export interface Where {
  /** Kept after the end; without it the server has a temporary folder, removed after its end. */
  dataDir?: string | undefined
  port?: number | undefined
}

export interface Server {
  readonly url: string
  readonly port: number
  /** Of the server itself; changes with each restart, undefined while it is down. */
  readonly pid: number | undefined
  readonly version: string
  /** Its data and its log. */
  readonly folder: string
  /** SIGSTOP and SIGCONT freeze and thaw it; after any other signal resolves when the server has ended. */
  kill(signal: NodeJS.Signals): Promise<void>
  /** Starts it again, with the same port and data; ends it first if it still runs. */
  restart(): Promise<void>
  /** Ends it for good. Otherwise it ends with this process. */
  stop(): Promise<void>
}

/** Starts a server on 127.0.0.1; resolves when it answers. */
export async function startServer(kind: Kind, where: Where): Promise<Server> {
  for (let tries = 1; ; tries++) {
    const port = where.port ?? (await freePort())
    const folder =
      where.dataDir ?? (await mkdtemp(join(process.env.SERVER_DATA_IN ?? tmpdir(), 'payment-intents-')))
    await mkdir(folder, { recursive: true })
    const supervised = supervise({
      binary: kind.binary.path,
      args: argumentsOf({ ...kind.options, port: String(port), [kind.folderOption]: folder }),
      log: logIn(folder),
      endSignal: where.dataDir ? 'SIGTERM' : 'SIGKILL',
      temporaryFolder: where.dataDir ? undefined : folder,
    })
    const failure = await begin(kind, port, supervised, folder)
    if (failure === undefined) return server(kind, port, supervised, folder)
    await supervised.end()
    const portIsTaken = where.port === undefined && /in use/i.test(failure)
    if (!portIsTaken || tries === PORT_TRIES) throw new Error(failure)
  }
}

const argumentsOf = (options: Options) =>
  Object.entries(options).flatMap(([name, value]) =>
    value === true ? [`--${name}`] : [value].flat().flatMap((each) => [`--${name}`, each]),
  )

function server(kind: Kind, port: number, supervised: Supervised, folder: string): Server {
  return {
    url: kind.url(port),
    port,
    version: kind.binary.version,
    folder,
    get pid() {
      return supervised.state.pid
    },
    kill: supervised.kill,
    async restart() {
      await supervised.kill('SIGCONT')
      await supervised.kill('SIGTERM')
      const failure = await begin(kind, port, supervised, folder)
      if (failure !== undefined) throw new Error(failure)
    },
    stop: supervised.end,
  }
}

/** Starts and waits for the first answer; what went wrong comes back as a sentence. */
async function begin(kind: Kind, port: number, supervised: Supervised, folder: string) {
  // Somebody else there would answer in its place.
  if (!(await isFree(port))) return `${kind.name} cannot start: port ${port} is in use`
  const giveUpAt = Date.now() + START_LIMIT_MS
  await supervised.start()
  while (supervised.state.pid !== undefined && Date.now() < giveUpAt) {
    if (await kind.answers(port)) return undefined
    await sleep(10)
  }
  const how = supervised.state.ended ? `ended (${supervised.state.ended})` : 'did not answer in time'
  return `${kind.name} ${how}: ${await lastLines(logIn(folder))}`
}

const logIn = (folder: string) => join(folder, 'server.log')

async function lastLines(log: string): Promise<string> {
  const text = await readFile(log, 'utf8').catch(() => '')
  return text.trim().split('\n').slice(-5).join('\n')
}
